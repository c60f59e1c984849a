import { isBug } from "./postgres-errors.ts";

/** Inserts rows, each written as JSON, in one statement. */
type Insert = (rows: string[]) => Promise<unknown>;

interface Waiting {
  row: string;
  resolve(): void;
  reject(error: unknown): void;
}

/** Rows of one statement, and their size in characters. */
const [maxRows, maxLength] = [200, 2 ** 20];
/** While these statements run, the next rows gather. */
const maxUnderWay = 2;

/** Inserts rows that wait in one statement. If one of them is refused, each is inserted alone, so that only that one fails. */
export function groupInserts(insert: Insert): (row: string) => Promise<void> {
  const waiting: Waiting[] = [];
  let underWay = 0;
  let isScheduled = false;

  const insertAlone = ({ row, resolve, reject }: Waiting) => insert([row]).then(resolve, reject);

  const insertGroup = async () => {
    const group = waiting.splice(0, countFitting(waiting));
    underWay++;
    try {
      await insert(group.map(({ row }) => row));
      for (const { resolve } of group) resolve();
    } catch (error) {
      if (group.length > 1 && isBug(error)) await Promise.all(group.map(insertAlone));
      else for (const { reject } of group) reject(error);
    } finally {
      underWay--;
    }
    insertNext();
  };

  const insertNext = () => {
    isScheduled = false;
    if (waiting.length > 0 && underWay < maxUnderWay) void insertGroup();
  };

  return (row) =>
    new Promise((resolve, reject) => {
      waiting.push({ row, resolve, reject });
      if (isScheduled || underWay >= maxUnderWay) return;
      isScheduled = true;
      setImmediate(insertNext);
    });
}

/** How many of the rows are inserted together: at least one. */
function countFitting(rows: { row: string }[]): number {
  let length = 0;
  const end = rows.findIndex(({ row }, index) => {
    length += row.length;
    return index === maxRows || (index > 0 && length > maxLength);
  });
  return end === -1 ? rows.length : end;
}
