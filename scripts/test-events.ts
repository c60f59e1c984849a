import type { EventData } from "node:test";
import type { TestEvent } from "node:test/reporters";
import { inspect } from "node:util";

/** What the process of a test file tells the one that runs it. */
export type News =
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
  /** As Node names it: `subtestsFailed`, `cancelledByParent` and others. */
  type: string;
  text: string;
}

// So that what the file has started and made goes with it.
process.once("SIGTERM", () => process.exit(1));

/** A reporter that prints nothing and sends it all to the parent process. */
export default async function* sendEvents(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of events) {
    const news = newsOf(event);
    if (news) await new Promise((resolve) => process.send?.(news, resolve));
  }
  // A reporter is a generator, whether it has something to print or not.
  yield "";
}

function newsOf({ type, data }: TestEvent): News | undefined {
  if (type === "test:dequeue") return { type: "begin", ...placeOf(data) };
  if (type === "test:complete") return { type: "end", ...placeOf(data), ...outcomeOf(data) };
  if (type === "test:diagnostic" && isStrayError(data)) return { type: "stray error", message: data.message };
  if (type === "test:summary") return { type: "over" };
  return undefined;
}

/** Node tells of one that was thrown after its test had ended, or outside of any, in words alone. */
function isStrayError({ message }: EventData.TestDiagnostic): boolean {
  return /^(Error|Warning): .* generated asynchronous activity/.test(message);
}

function placeOf({ name, testId, nesting, parentId }: Omit<EventData.TestDequeue, "type">): Place {
  return { name, id: testId, parent: nesting > 0 ? parentId : undefined };
}

function outcomeOf({ details, skip }: EventData.TestComplete) {
  const { error } = details;
  const reason = typeof skip === "string" ? skip : skip && "no reason given";
  return {
    isSuite: details.type === "suite",
    skip: reason || undefined,
    failure: error && { type: `${(error as { failureType?: string }).failureType}`, text: messageOf(error) },
  };
}

function messageOf(error: Error): string {
  const cause = error.cause instanceof Error ? error.cause : error;
  return cause.message.length > 0
    ? `${cause.message}\n${cause.stack?.split("\n").slice(-4).join("\n")}`
    : inspect(error);
}
