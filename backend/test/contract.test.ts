import { testContract } from "../dory.ts";

/** What every backend of this kind answers, on each database, and whether openapi.json is up to date. */
await testContract();
