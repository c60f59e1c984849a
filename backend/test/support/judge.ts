import { after, before, describe, test } from "node:test";
import openApi from "../../openapi.json" with { type: "json" };
import { checksOf } from "../conformance/index.ts";
import { type Check, defaults, type Place } from "../conformance/suite.ts";
import { Backend, type Environment } from "./backend.ts";

const limits = { headersTimeoutMs: 3000, requestTimeoutMs: 4000 };

/** Starts a backend and holds it against the contract. */
export function judge(title: string, env: () => Promise<Environment>): void {
  describe(title, () => {
    let backend: Backend;
    before(async () => {
      const { headersTimeoutMs, requestTimeoutMs } = limits;
      const timeouts = { HEADERS_TIMEOUT_MS: `${headersTimeoutMs}`, REQUEST_TIMEOUT_MS: `${requestTimeoutMs}` };
      backend = await Backend.start({ ...timeouts, ...(await env()) });
    });
    after(() => backend?.stop());
    judgeUrl(() => backend.url, limits);
  });
}

/** Holds whatever answers at a URL against the contract, as `openapi.json` describes it. */
export function judgeUrl(url: () => string, limits = {}): void {
  const checks = checksOf(openApi);
  const slow = checks.filter(({ isSlow }) => isSlow);
  const others = checks.filter(({ isSlow }) => !isSlow);
  const testAll = (some: Check<Place>[]) => {
    for (const { name, run } of some) test(name, () => run({ ...defaults, ...limits, url: url() }));
  };
  // All slow ones at once, and beside them the others, one after the other: they look at what is in the list.
  describe("the contract", { concurrency: slow.length + 1 }, () => {
    testAll(slow);
    describe("one after the other", { concurrency: 1 }, () => testAll(others));
  });
}
