import { highlightLines, type Token } from "./highlight.ts";

/** More lines than anyone reads make the page slow. */
const mostLines = 3000;

/** A file with the numbers of its lines. */
export function CodeLines({ path, text }: { path: string; text: string }) {
  const all = text.replace(/\n$/, "").split("\n");
  const shown = highlightLines(path, all.slice(0, mostLines).join("\n"));
  return (
    <pre class="code">
      <code>
        {shown.map((tokens, index) => (
          <span class="line" data-number={index + 1} key={index}>
            {tokens.map(renderToken)}
            {"\n"}
          </span>
        ))}
      </code>
      {all.length > mostLines && <p class="hint">… and {all.length - mostLines} lines more</p>}
    </pre>
  );
}

export function renderToken({ kind, text }: Token, index: number) {
  return kind === "plain" ? (
    text
  ) : (
    <span class={`token-${kind}`} key={index}>
      {text}
    </span>
  );
}
