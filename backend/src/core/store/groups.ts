import { isBug } from "./postgres-errors.ts";

/** Does the same for several inputs in one statement. */
type Run<Input, Output> = (inputs: Input[]) => Promise<Output[]>;

interface Waiting<Input, Output> {
  input: Input;
  resolve(output: Output): void;
  reject(error: unknown): void;
}

interface Limits {
  /** Inputs of one statement. */
  maxInputs: number;
  /** While these statements run, the next inputs gather. */
  maxUnderWay: number;
}

/** A statement that takes longer, because it waits for a lock or its connection hangs, does not make the next wait. */
const patienceMs = 50;

/** The length of the inputs of one statement, unless it has a single one. */
const maxLength = 2 ** 20;

/** Inputs that wait share a statement. If one of them is refused, each is tried alone, so that only that one fails. */
export function group<Output>(
  run: Run<string, Output>,
  { maxInputs, maxUnderWay }: Limits,
): (input: string) => Promise<Output> {
  const waiting: Waiting<string, Output>[] = [];
  let underWay = 0;
  let isScheduled = false;

  const runAlone = ({ input, resolve, reject }: Waiting<string, Output>) =>
    run([input]).then(([output]) => resolve(output as Output), reject);

  const runGroup = async () => {
    const together = waiting.splice(0, countFitting(waiting, maxInputs));
    underWay++;
    let isCounted = true;
    const discount = () => {
      if (isCounted) underWay--;
      isCounted = false;
      runNext();
    };
    const timer = setTimeout(discount, patienceMs);
    try {
      const outputs = await run(together.map(({ input }) => input));
      for (const [index, { resolve }] of together.entries()) resolve(outputs[index] as Output);
    } catch (error) {
      if (together.length > 1 && isBug(error)) await Promise.all(together.map(runAlone));
      else for (const { reject } of together) reject(error);
    } finally {
      clearTimeout(timer);
      discount();
    }
  };

  const runNext = () => {
    isScheduled = false;
    if (waiting.length > 0 && underWay < maxUnderWay) void runGroup();
  };

  return (input) =>
    new Promise((resolve, reject) => {
      waiting.push({ input, resolve, reject });
      if (isScheduled || underWay >= maxUnderWay) return;
      isScheduled = true;
      setImmediate(runNext);
    });
}

/** How many of the inputs go together: at least one. */
function countFitting(waiting: { input: string }[], maxInputs: number): number {
  let length = 0;
  const end = waiting.findIndex(({ input }, index) => {
    length += input.length;
    return index === maxInputs || (index > 0 && length > maxLength);
  });
  return end === -1 ? waiting.length : end;
}
