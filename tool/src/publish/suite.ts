import { checks } from "../../../backend/test/conformance/index.ts";
import { defaults, type Subject } from "../../../backend/test/conformance/suite.ts";

/** Runs beside a container, from stdin; what is judged was put before this text. */
const { subject } = globalThis as unknown as { subject: Pick<Subject, "item"> };
const limits = { headersTimeoutMs: 1000, requestTimeoutMs: 2000 };

for (const { name, run } of checks) {
  await run({ ...defaults, ...limits, ...subject, url: "http://127.0.0.1:3000" }).catch((error: Error) => {
    console.log(`✗ ${name}\n    ${error.message.slice(0, 500)}`);
    process.exitCode = 1;
  });
}
