/** A Markdown table in columns; the first row is its head. */
export function printTable(rows: string[][]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: string[]) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const [head = [], ...others] = rows;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...others.map(line)].join("\n");
}
