import type { Failure, FileEvent, Place } from "./test-events.ts";

const silenceMs = 10_000;

/** Prints failures, skipped tests with their reasons, a line for each test file or folder, and a closing line. */
export class Report {
  readonly #files: number;
  readonly #running = new Set<FileReport>();
  /** The last run of each file. */
  readonly #done = new Map<string, FileReport>();
  readonly #unsteady: string[] = [];
  /** Of each file, in seconds. */
  readonly durations = new Map<string, number>();
  #printedAt = performance.now();

  constructor(files: number) {
    this.#files = files;
    // Shows that the run continues, and what it waits for.
    setInterval(() => {
      if (performance.now() - this.#printedAt >= silenceMs) this.print(this.#stillRunning());
    }, 1000).unref();
  }

  /** `size` is the number of its files. */
  begin(name: string, size: number): FileReport {
    const report = new FileReport(name, size);
    this.#running.add(report);
    return report;
  }

  add(report: FileReport, event: FileEvent): void {
    report.add(event);
    this.print(report.takeText());
  }

  /** `fault` is what is wrong with the file as a whole. */
  finish(report: FileReport, fault?: string): void {
    if (fault !== undefined) report.counts.failed += 1;
    this.print(fault === undefined ? "" : `FAILED: ${report.name}\n${fault}\n\n`);
    this.#running.delete(report);
    if (this.#done.has(report.name) && report.counts.failed === 0) this.#unsteady.push(report.name);
    this.#done.set(report.name, report);
    this.durations.set(report.name, Math.round(Number(report.seconds)));
    const done = [...this.#done.values()].reduce((sum, { size }) => sum + size, 0);
    const files = `${done} of ${this.#files} files`;
    const passed = this.#count("passed");
    this.print(`${report.takeCancelled()}${report.name}: ${report.seconds} s (${files}, ${passed} tests passed)\n`);
  }

  print(text: string): void {
    if (text === "") return;
    process.stdout.write(text);
    this.#printedAt = performance.now();
  }

  get failed(): string[] {
    return [...this.#done.values()].filter(({ counts }) => counts.failed > 0).map(({ name }) => name);
  }

  get closingLine(): string {
    const unsteady = this.#unsteady.map((file) => `UNSTEADY: ${file} failed, and passed alone\n`);
    const [passed, failed, skipped] = [this.#count("passed"), this.#count("failed"), this.#count("skipped")];
    return `${unsteady.join("")}${passed} passed, ${failed} failed, ${skipped} skipped\n`;
  }

  #count(outcome: Outcome): number {
    return [...this.#done.values(), ...this.#running].reduce((sum, { counts }) => sum + counts[outcome], 0);
  }

  #stillRunning(): string {
    return [...this.#running].map(({ name, seconds, at }) => `still running: ${name}, ${seconds} s, ${at}\n`).join("");
  }
}

type Outcome = "passed" | "failed" | "skipped";

/** The state of one running file, or of several in one process. */
export class FileReport {
  readonly name: string;
  readonly size: number;
  readonly counts = { passed: 0, failed: 0, skipped: 0 };
  readonly #started = performance.now();
  readonly #tests = new Map<number, Place>();
  readonly #underWay = new Set<number>();
  readonly #ended = new Set<number>();
  #text = "";
  #cancelled = "";
  #hasFailure = false;
  #isOver = false;

  constructor(name: string, size: number) {
    this.name = name;
    this.size = size;
  }

  add(event: FileEvent): void {
    const outcome = this.#record(event);
    if (outcome) this.counts[outcome] += 1;
  }

  /** The outcome of a test, if one has ended. */
  #record(event: FileEvent): Outcome | undefined {
    if (event.type === "begin") this.#begin(event);
    if (event.type === "over") this.#isOver = true;
    if (event.type === "stray error") return this.#fail(this.name, { type: "stray", text: event.message });
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
