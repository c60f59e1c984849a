import { defaults, type Subject } from "../../../backend/test/conformance/suite.ts";
import { checksFor } from "../checks.ts";
import type { Feature } from "../request.ts";

/** Runs beside a container, from stdin; what is judged was put before this text. */
const { judged } = globalThis as unknown as { judged: Pick<Subject, "item"> & { features: Feature[] } };
const limits = { headersTimeoutMs: 1000, requestTimeoutMs: 2000 };
const subject = { ...defaults, ...limits, item: judged.item, url: "http://127.0.0.1:3000" };

for (const { name, run } of checksFor(judged.features)) {
  await run(subject).catch((error: Error) => {
    console.log(`✗ ${name}\n    ${error.message.slice(0, 500)}`);
    process.exitCode = 1;
  });
}
