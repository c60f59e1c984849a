import type { EventData } from "node:test";
import type { TestEvent } from "node:test/reporters";
import { inspect } from "node:util";

/** What a run of many test files shows: what failed, what was left out and why, a line for each file, a closing line. */
export class Report {
  readonly #counts = { passed: 0, failed: 0, skipped: 0 };
  readonly #files: number;
  #filesDone = 0;

  constructor(files: number) {
    this.#files = files;
  }

  /** The text for one file, as soon as there is some. Many files may be followed at once. */
  async *follow(file: string, events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
    const started = performance.now();
    const names = new Names();
    const cancelled: string[] = [];
    let hasShownFailure = false;
    for await (const { type, data } of events) {
      if (type === "test:start") names.add(data);
      if (type === "test:stderr") yield data.message;
      if (type !== "test:pass" && type !== "test:fail") continue;
      const text = this.#outcome(names.path(data), type, data);
      if (isCancelled(data.details)) cancelled.push(text);
      else {
        hasShownFailure ||= type === "test:fail" && text !== "";
        yield text;
      }
    }
    // When a suite cannot begin, all of its tests are cancelled: why it cannot is what matters.
    if (!hasShownFailure) yield cancelled.join("");
    this.#filesDone += 1;
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    yield `${file}: ${seconds} s (${this.#filesDone} of ${this.#files} files, ${this.#counts.passed} tests passed)\n`;
  }

  get hasFailures(): boolean {
    return this.#counts.failed > 0;
  }

  get closingLine(): string {
    const { passed, failed, skipped } = this.#counts;
    return `${passed} passed, ${failed} failed, ${skipped} skipped\n`;
  }

  #outcome(name: string, type: "test:pass" | "test:fail", data: EventData.TestPass | EventData.TestFail): string {
    const { details, skip } = data;
    const outcome = skip ? "skipped" : type === "test:pass" ? "passed" : "failed";
    if (details.type !== "suite") this.#counts[outcome] += 1;
    if (outcome === "skipped") return `left out: ${name} (${skip})\n`;
    if (!("error" in details) || isOnlyOfSubtests(details.error)) return "";
    return `FAILED: ${name}\n${messageOf(details.error)}\n\n`;
  }
}

/** The names of the tests of one file. */
class Names {
  readonly #tests = new Map<number, EventData.TestStart>();

  add(test: EventData.TestStart): void {
    this.#tests.set(test.testId, test);
  }

  /** A test's name after the names of those around it: they are found by id, since tests may run at the same time. */
  path({ name, nesting, parentId }: EventData.TestStart): string {
    const parent = nesting > 0 && parentId !== undefined ? this.#tests.get(parentId) : undefined;
    return parent ? `${this.path(parent)} › ${name}` : name;
  }
}

function isCancelled(details: object): boolean {
  return "error" in details && (details.error as { failureType?: string }).failureType === "cancelledByParent";
}

function isOnlyOfSubtests(error: Error): boolean {
  return (error as { failureType?: string }).failureType === "subtestsFailed";
}

function messageOf(error: Error): string {
  const cause = error.cause instanceof Error ? error.cause : error;
  return cause.message.length > 0
    ? `${cause.message}\n${cause.stack?.split("\n").slice(-4).join("\n")}`
    : inspect(error);
}
