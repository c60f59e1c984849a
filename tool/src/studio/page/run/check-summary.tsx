import type { CheckRun } from "../state.ts";

/** How far the suite is. */
export function CheckSummaryLine({ run: { names, results }, title = "" }: { run: CheckRun; title?: string }) {
  const all = Object.values(results);
  const count = (state: string) => all.filter((result) => result.state === state).length;
  const [failed, skipped] = [count("failed"), count("skipped")];
  const width = names.length === 0 ? 0 : (100 * all.length) / names.length;
  return (
    <div class="check-summary">
      <p>
        {title && <strong>{title} </strong>}
        {count("passed")} of {names.length} checks passed
        {failed > 0 && <strong class="fault-text">, {failed} failed</strong>}
        {skipped > 0 && `, ${skipped} skipped`}
      </p>
      <div class={`meter ${failed > 0 ? "bad" : ""}`} aria-hidden="true">
        <div style={{ width: `${width}%` }} />
      </div>
    </div>
  );
}
