import { useMedia } from "../controls/use-media.ts";
import { renderToken } from "./code-lines.tsx";
import { type DiffRow, type NumberedLine, readDiff } from "./diff.ts";
import { highlight } from "./highlight.ts";

interface DiffLinesProps {
  path: string;
  diff: string;
  /** What the two sides are. */
  titles: [before: string, after: string];
}

/** A diff: side by side where there is room. */
export function DiffLines({ path, diff, titles }: DiffLinesProps) {
  const isWide = useMedia("(min-width: 64rem)");
  const rows = readDiff(diff);
  return (
    <table class={`diff ${isWide ? "split" : ""}`}>
      <caption class="visually-hidden">
        Changes in {path} from {titles[0]} to {titles[1]}
      </caption>
      {isWide && (
        <colgroup>
          <col class="number-column" />
          <col />
          <col class="number-column" />
          <col />
        </colgroup>
      )}
      {isWide && (
        <thead>
          <tr>
            <th scope="col" colSpan={2}>
              {titles[0]}
            </th>
            <th scope="col" colSpan={2}>
              {titles[1]}
            </th>
          </tr>
        </thead>
      )}
      <tbody>{isWide ? rows.map((row, index) => renderSplit(path, row, index)) : listUnified(path, rows)}</tbody>
    </table>
  );
}

function renderSplit(path: string, { before, after, isChanged, isGap }: DiffRow, index: number) {
  return (
    <tr key={index} class={isGap ? "gap" : undefined}>
      {renderSide(path, before, isChanged, "removed")}
      {renderSide(path, after, isChanged, "added")}
    </tr>
  );
}

function renderSide(path: string, line: NumberedLine | undefined, isChanged: boolean, kind: "removed" | "added") {
  const name = line === undefined ? (isChanged ? "nothing" : "") : isChanged ? kind : "";
  return (
    <>
      <td class={`number ${name}`}>{line?.number}</td>
      <td class={`text ${name}`}>{line && renderText(path, line, isChanged ? kind : undefined)}</td>
    </>
  );
}

/** First what is removed, then what is added. */
function listUnified(path: string, rows: DiffRow[]) {
  const shown: { line: NumberedLine | undefined; kind: "removed" | "added" | undefined }[] = [];
  let added: NumberedLine[] = [];
  const flush = () => {
    shown.push(...added.map((line) => ({ line, kind: "added" as const })));
    added = [];
  };
  for (const { before, after, isChanged } of rows) {
    if (!isChanged) flush();
    if (isChanged && before) shown.push({ line: before, kind: "removed" });
    if (isChanged && after) added.push(after);
    if (!isChanged) shown.push({ line: after, kind: undefined });
  }
  flush();
  return shown.map(({ line, kind }, index) => (
    <tr key={index} class={line ? undefined : "gap"}>
      <td class={`number ${kind ?? ""}`}>{line?.number}</td>
      <td class={`text ${kind ?? ""}`}>{line && renderText(path, line, kind)}</td>
    </tr>
  ));
}

function renderText(path: string, { text }: NumberedLine, kind: "removed" | "added" | undefined) {
  return (
    <>
      {kind === "removed" && <del>{highlight(path, text).map(renderToken)}</del>}
      {kind === "added" && <ins>{highlight(path, text).map(renderToken)}</ins>}
      {kind === undefined && highlight(path, text).map(renderToken)}
    </>
  );
}
