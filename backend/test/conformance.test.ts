import { after, before, describe, test } from "node:test";
import { frameworks } from "../src/frameworks/names.ts";
import { checks } from "./conformance/index.ts";
import { defaults } from "./conformance/suite.ts";
import { Backend, temporaryFolder } from "./support/backend.ts";
import { Postgres } from "./support/postgres.ts";

const limits = { headersTimeoutMs: 1000, requestTimeoutMs: 2000 };
const url = process.env["BASE_URL"];

if (url) describe(`the backend at ${url}`, () => judge(() => url));
else describe("the contract is kept by", { concurrency: 4 }, judgeAll);

async function judgeAll(): Promise<void> {
  const postgres = await Postgres.start();
  after(() => postgres.stop());
  const databases = { sqlite: async () => `file:${temporaryFolder()}/items.db`, postgres: () => postgres.database() };
  for (const framework of frameworks) {
    for (const [kind, database] of Object.entries(databases)) {
      describe(`${framework} on ${kind}`, { concurrency: 1 }, () => {
        let backend: Backend;
        before(async () => {
          backend = await Backend.start({
            FRAMEWORK: framework,
            DATABASE_URL: await database(),
            HEADERS_TIMEOUT_MS: String(limits.headersTimeoutMs),
            REQUEST_TIMEOUT_MS: String(limits.requestTimeoutMs),
          });
        });
        after(() => backend.stop());
        judge(() => backend.url, limits);
      });
    }
  }
}

function judge(url: () => string, limits = {}): void {
  for (const { name, run } of checks) test(name, () => run({ ...defaults, ...limits, url: url() }));
}
