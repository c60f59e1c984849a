/** A line of a diff with two columns: before and after. A change has both, an addition only what is after. */
export interface DiffRow {
  before?: NumberedLine;
  after?: NumberedLine;
  isChanged: boolean;
  /** The rows above are left out. */
  isGap?: true;
}

export interface NumberedLine {
  number: number;
  text: string;
}

/** Reads the hunks of a unified diff. */
export function readDiff(diff: string): DiffRow[] {
  const rows: DiffRow[] = [];
  let [before, after] = [0, 0];
  let removed: NumberedLine[] = [];
  let added: NumberedLine[] = [];
  const flush = () => {
    for (let index = 0; index < Math.max(removed.length, added.length); index++) {
      const [left, right] = [removed[index], added[index]];
      rows.push({ ...(left ? { before: left } : {}), ...(right ? { after: right } : {}), isChanged: true });
    }
    [removed, added] = [[], []];
  };
  for (const line of diff.replace(/\n$/, "").split("\n")) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(line);
    const text = line.slice(1);
    if (hunk) {
      flush();
      [before, after] = [Number(hunk[1]), Number(hunk[2])];
      if (before > 1 || rows.length > 0) rows.push({ isChanged: false, isGap: true });
    } else if (line.startsWith("-")) removed.push({ number: before++, text });
    else if (line.startsWith("+")) added.push({ number: after++, text });
    else if (!line.startsWith("\\")) {
      flush();
      rows.push({ before: { number: before++, text }, after: { number: after++, text }, isChanged: false });
    }
  }
  flush();
  return rows;
}
