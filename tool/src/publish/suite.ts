import type { OpenApi } from "../../../backend/kit/suite/document.ts";
import { findFeatures } from "../../../backend/kit/suite/features.ts";
import { defaults } from "../../../backend/kit/suite/suite.ts";
import { listChecks, runChecks } from "../checks.ts";

/** Runs in a container, from stdin; smoke.ts sets `openapi` before this text. */
const { openapi } = globalThis as unknown as { openapi: OpenApi };
const place = { ...defaults, headersTimeoutMs: 3000, requestTimeoutMs: 4000, url: "http://127.0.0.1:3000" };

for await (const { check, fault } of runChecks(listChecks(openapi, findFeatures(openapi)), place)) {
  if (fault === undefined) continue;
  // biome-ignore lint/suspicious/noConsole: it runs in a container, and dory prints what it found
  console.log(`✗ ${check}\n    ${fault.slice(0, 500)}`);
  process.exitCode = 1;
}
