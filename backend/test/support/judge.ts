import { after, before, describe, test } from "node:test";
import openApi from "../../openapi.json" with { type: "json" };
import { checks } from "../conformance/index.ts";
import { itemIn } from "../conformance/items.ts";
import { defaults } from "../conformance/suite.ts";
import { Backend, type Environment } from "./backend.ts";

const limits = { headersTimeoutMs: 1000, requestTimeoutMs: 2000 };

/** Starts a backend and holds it against the contract. */
export function judge(title: string, env: () => Promise<Environment>): void {
  describe(title, { concurrency: 1 }, () => {
    let backend: Backend;
    before(async () => {
      const { headersTimeoutMs, requestTimeoutMs } = limits;
      const timeouts = { HEADERS_TIMEOUT_MS: `${headersTimeoutMs}`, REQUEST_TIMEOUT_MS: `${requestTimeoutMs}` };
      backend = await Backend.start({ ...timeouts, ...(await env()) });
    });
    after(() => backend.stop());
    judgeUrl(() => backend.url, limits);
  });
}

/** Holds whatever answers at a URL against the contract. */
export function judgeUrl(url: () => string, limits = {}): void {
  const item = itemIn(openApi);
  for (const { name, run } of checks) test(name, () => run({ ...defaults, ...limits, item, url: url() }));
}
