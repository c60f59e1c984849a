import type { OpenApi } from "../../../backend/test/conformance/document.ts";
import { defaults } from "../../../backend/test/conformance/suite.ts";
import { checksFor, featuresIn, findingsOf } from "../checks.ts";

/** Runs beside a container, from stdin; what is judged was put before this text. */
const { judged } = globalThis as unknown as { judged: OpenApi };
const place = { ...defaults, headersTimeoutMs: 3000, requestTimeoutMs: 4000, url: "http://127.0.0.1:3000" };

for await (const { check, fault } of findingsOf(checksFor(judged, featuresIn(judged)), place)) {
  if (fault === undefined) continue;
  console.log(`✗ ${check}\n    ${fault.slice(0, 500)}`);
  process.exitCode = 1;
}
