import { after, before, describe, test } from "node:test";
import { readDocument } from "../openapi/write.ts";
import type { OpenApi } from "../suite/document.ts";
import { selectChecks } from "../suite/index.ts";
import { Skipped } from "../suite/skipped.ts";
import { type Check, defaults, type Place } from "../suite/suite.ts";
import { Backend, type Environment } from "./backend.ts";

const limits = { headersTimeoutMs: 8000, requestTimeoutMs: 8000 };

/** Starts a backend and checks it against the contract. */
export function judge(title: string, env: () => Promise<Environment>, isOwned = true): void {
  describe(title, () => {
    let backend: Backend;
    before(async () => {
      const { headersTimeoutMs, requestTimeoutMs } = limits;
      const timeouts = { HEADERS_TIMEOUT_MS: `${headersTimeoutMs}`, REQUEST_TIMEOUT_MS: `${requestTimeoutMs}` };
      backend = await Backend.start({ ...timeouts, ...(await env()) });
    });
    after(() => backend?.stop());
    judgeUrl(() => backend.url, limits, isOwned);
  });
}

/**
 * Checks the backend at a URL against the contract and `openapi.json`. If it has an owner, plugins may answer instead of
 * what is checked: such checks are skipped, and the report says why.
 */
export function judgeUrl(url: () => string, limits = {}, isOwned = true): void {
  const checks = selectChecks(readDocument() as OpenApi);
  const slow = checks.filter(({ isSlow }) => isSlow);
  const others = checks.filter(({ isSlow }) => !isSlow);
  const testAll = (some: Check<Place>[]) => {
    for (const { name, run } of some)
      test(name, async (context) => {
        try {
          await run({ ...defaults, ...limits, url: url() });
        } catch (error) {
          if (!isOwned || !(error instanceof Skipped)) throw error;
          context.skip(error.message);
        }
      });
  };
  // All slow checks run at the same time as the others, which run one by one because they read the list.
  describe("the contract", { concurrency: slow.length + 1 }, () => {
    testAll(slow);
    describe("one after the other", { concurrency: 1 }, () => testAll(others));
  });
}
