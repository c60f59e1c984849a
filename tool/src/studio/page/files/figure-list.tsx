import type { Figures } from "../../api.ts";

/** How much there is to read, and to trust. */
export function FigureList({ figures, before }: { figures: Figures; before?: Figures }) {
  const shown: [title: string, now: number, then: number | undefined][] = [
    ["files", figures.files, before?.files],
    ["lines", figures.lines, before?.lines],
    ["dependencies", figures.dependencies, before?.dependencies],
  ];
  return (
    <dl class="figures">
      {shown.map(([title, now, then]) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd>
            {now.toLocaleString("en")}
            {then !== undefined && <small class="muted"> {formatChange(now - then)}</small>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

const formatChange = (change: number) =>
  change === 0 ? "±0" : `${change > 0 ? "+" : "−"}${Math.abs(change).toLocaleString("en")}`;
