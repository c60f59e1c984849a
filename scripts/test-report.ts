import type { Failure, FileEvent, Place } from "./test-events.ts";

const silenceMs = 10_000;

/** Prints failures, skipped tests with their reasons, a line for each test file, and a closing line. */
export class Report {
  readonly #counts = { passed: 0, failed: 0, skipped: 0 };
  readonly #files: number;
  readonly #running = new Set<FileReport>();
  #filesDone = 0;
  #printedAt = performance.now();

  constructor(files: number) {
    this.#files = files;
    // Shows that the run continues, and what it waits for.
    setInterval(() => {
      if (performance.now() - this.#printedAt >= silenceMs) this.print(this.#stillRunning());
    }, 1000).unref();
  }

  begin(file: string): FileReport {
    const report = new FileReport(file);
    this.#running.add(report);
    return report;
  }

  add(report: FileReport, event: FileEvent): void {
    const outcome = report.add(event);
    if (outcome) this.#counts[outcome] += 1;
    this.print(report.takeText());
  }

  /** `fault` is what is wrong with the file as a whole. */
  finish(report: FileReport, fault?: string): void {
    if (fault !== undefined) this.#counts.failed += 1;
    this.print(fault === undefined ? "" : `FAILED: ${report.file}\n${fault}\n\n`);
    this.#running.delete(report);
    this.#filesDone += 1;
    const { passed } = this.#counts;
    const files = `${this.#filesDone} of ${this.#files} files`;
    this.print(`${report.takeCancelled()}${report.file}: ${report.seconds} s (${files}, ${passed} tests passed)\n`);
  }

  print(text: string): void {
    if (text === "") return;
    process.stdout.write(text);
    this.#printedAt = performance.now();
  }

  get hasFailures(): boolean {
    return this.#counts.failed > 0;
  }

  get closingLine(): string {
    const { passed, failed, skipped } = this.#counts;
    return `${passed} passed, ${failed} failed, ${skipped} skipped\n`;
  }

  #stillRunning(): string {
    return [...this.#running].map(({ file, seconds, at }) => `still running: ${file}, ${seconds} s, ${at}\n`).join("");
  }
}

type Outcome = "passed" | "failed" | "skipped";

/** The state of one running file. */
export class FileReport {
  readonly file: string;
  readonly #started = performance.now();
  readonly #tests = new Map<number, Place>();
  readonly #underWay = new Set<number>();
  readonly #ended = new Set<number>();
  #text = "";
  #cancelled = "";
  #hasFailure = false;
  #isOver = false;

  constructor(file: string) {
    this.file = file;
  }

  /** Returns the outcome of a test, if one has ended. */
  add(event: FileEvent): Outcome | undefined {
    if (event.type === "begin") this.#begin(event);
    if (event.type === "over") this.#isOver = true;
    if (event.type === "stray error") return this.#fail(this.file, { type: "stray", text: event.message });
    // Node reports the end of some tests twice.
    if (event.type !== "end" || this.#ended.has(event.id)) return undefined;
    this.#begin(event);
    this.#underWay.delete(event.id);
    this.#ended.add(event.id);
    const { isSuite, skip, failure } = event;
    if (skip !== undefined) this.#text += `left out: ${this.#path(event)} (${skip})\n`;
    if (failure) this.#fail(this.#path(event), failure);
    if (isSuite) return undefined;
    return skip !== undefined ? "skipped" : failure ? "failed" : "passed";
  }

  get seconds(): string {
    return ((performance.now() - this.#started) / 1000).toFixed(1);
  }

  /** The running test that began last. */
  get at(): string {
    const id = [...this.#underWay].at(-1);
    const test = id === undefined ? undefined : this.#tests.get(id);
    return test ? `at: ${this.#path(test)}` : "between tests";
  }

  /** Whether its tests have all ended. */
  get isOver(): boolean {
    return this.#isOver;
  }

  get hasFailure(): boolean {
    return this.#hasFailure;
  }

  takeText(): string {
    const text = this.#text;
    this.#text = "";
    return text;
  }

  /** If a suite cannot begin, all of its tests are cancelled: only the reason is shown, if it is known. */
  takeCancelled(): string {
    return this.#hasFailure ? "" : this.#cancelled;
  }

  #begin({ name, id, parent }: Place): void {
    this.#tests.set(id, { name, id, parent });
    this.#underWay.add(id);
  }

  #fail(path: string, { type, text }: Failure): Outcome {
    const entry = `FAILED: ${path}\n${text}\n\n`;
    if (type === "cancelledByParent") this.#cancelled += entry;
    else if (type !== "subtestsFailed") {
      this.#text += entry;
      this.#hasFailure = true;
    }
    return "failed";
  }

  /** A test's name after those of its parents, which are found by id because tests may run at the same time. */
  #path({ name, parent }: Place): string {
    const around = parent === undefined ? undefined : this.#tests.get(parent);
    return around ? `${this.#path(around)} › ${name}` : name;
  }
}
