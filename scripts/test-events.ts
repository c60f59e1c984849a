import type { EventData } from "node:test";
import type { TestEvent } from "node:test/reporters";
import { inspect } from "node:util";

/** What the process of a test file sends to its parent process. */
export type FileEvent =
  | ({ type: "begin" } & Place)
  | ({ type: "end"; isSuite: boolean; skip?: string | undefined; failure?: Failure | undefined } & Place)
  | { type: "stray error"; message: string }
  | { type: "over" };

export interface Place {
  name: string;
  id: number;
  parent: number | undefined;
}

export interface Failure {
  /** Node's name for it: `subtestsFailed`, `cancelledByParent` and others. */
  type: string;
  text: string;
}

// An exit runs the hooks that end and remove what the file has started and created.
process.once("SIGTERM", () => process.exit(1));

/** A reporter that prints nothing and sends all events to the parent process. */
export default async function* sendEvents(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of events) {
    const sent = toFileEvent(event);
    if (sent) await new Promise((resolve) => process.send?.(sent, resolve));
  }
  // A reporter must be a generator, even if it prints nothing.
  yield "";
}

function toFileEvent({ type, data }: TestEvent): FileEvent | undefined {
  if (type === "test:dequeue") return { type: "begin", ...toPlace(data) };
  if (type === "test:complete") return { type: "end", ...toPlace(data), ...toOutcome(data) };
  if (type === "test:diagnostic" && isStrayError(data)) return { type: "stray error", message: data.message };
  if (type === "test:summary") return { type: "over" };
  return undefined;
}

/** Node reports an error that was thrown after its test ended, or outside of a test, only as a message. */
function isStrayError({ message }: EventData.TestDiagnostic): boolean {
  return /^(Error|Warning): .* generated asynchronous activity/.test(message);
}

function toPlace({ name, testId, nesting, parentId }: Omit<EventData.TestDequeue, "type">): Place {
  return { name, id: testId, parent: nesting > 0 ? parentId : undefined };
}

function toOutcome({ details, skip }: EventData.TestComplete) {
  const { error } = details;
  const reason = typeof skip === "string" ? skip : skip && "no reason given";
  return {
    isSuite: details.type === "suite",
    skip: reason || undefined,
    failure: error && { type: `${(error as { failureType?: string }).failureType}`, text: toMessage(error) },
  };
}

function toMessage(error: Error): string {
  const cause = error.cause instanceof Error ? error.cause : error;
  return cause.message.length > 0
    ? `${cause.message}\n${cause.stack?.split("\n").slice(-4).join("\n")}`
    : inspect(error);
}
