import type { TestEvent } from "node:test/reporters";
import { inspect } from "node:util";

/** Says nothing of what passes: only what failed, what was left out and why, and a closing line. */
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const path: string[] = [];
  for await (const { type, data } of events) {
    if (type === "test:start") path.splice(data.nesting, path.length, data.name);
    if (type === "test:stderr") yield data.message;
    if (type !== "test:pass" && type !== "test:fail") continue;
    const name = path.slice(0, data.nesting + 1).join(" › ");
    const outcome = data.skip ? "skipped" : type === "test:pass" ? "passed" : "failed";
    if (data.details.type !== "suite") counts[outcome] += 1;
    if (outcome === "skipped") yield `left out: ${name} (${data.skip})\n`;
    if (type === "test:fail" && !isOnlyOfSubtests(data.details.error))
      yield `FAILED: ${name}\n${told(data.details.error)}\n\n`;
  }
  yield `${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`;
}

function isOnlyOfSubtests(error: Error): boolean {
  return (error as { failureType?: string }).failureType === "subtestsFailed";
}

function told(error: Error): string {
  const cause = error.cause instanceof Error ? error.cause : error;
  return cause.message.length > 0
    ? `${cause.message}\n${cause.stack?.split("\n").slice(-4).join("\n")}`
    : inspect(error);
}
