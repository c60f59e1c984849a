import type { BenchResult } from "../../api.ts";
import { findLatestJob, isRunning, options, rounds } from "../state.ts";

/** A short benchmark: alternating rounds, the median of each backend and its spread. */
export function BenchCard() {
  const job = findLatestJob("bench");
  if (!job) return null;
  const result = job.state === "done" ? (job.result as BenchResult) : null;
  const done = rounds.value.job === job.id ? rounds.value.rounds : [];
  const total = done[0] ? done[0].rounds * new Set(done.map(({ backend }) => backend)).size : 0;
  return (
    <section class="card stack" aria-label="Benchmark" aria-busy={isRunning(job)}>
      <h2>Benchmark</h2>
      {isRunning(job) && (
        <p class="hint" role="status">
          {done.length} rounds of {total || "…"}
        </p>
      )}
      {job.fault && <p class="notice bad">{job.fault.message}</p>}
      {result && <BenchBars result={result} />}
    </section>
  );
}

function BenchBars({ result: { request, backends, ratio } }: { result: BenchResult }) {
  const most = Math.max(...backends.map(({ max }) => max));
  const name = (framework: string) => options.frameworks.find((one) => one.name === framework)?.title ?? framework;
  const [first, second] = backends;
  return (
    <>
      <table class="bench">
        <caption class="hint">
          {request}, requests a second: the median of all rounds, and the slowest and fastest one
        </caption>
        <tbody>
          {backends.map(({ backend, framework, median, min, max }) => (
            <tr key={backend}>
              <th scope="row">{name(framework)}</th>
              <td class="bench-bar">
                <div aria-hidden="true">
                  <span class="bench-median" style={{ width: `${(100 * median) / most}%` }} />
                  <span
                    class="bench-spread"
                    style={{ left: `${(100 * min) / most}%`, width: `${(100 * (max - min)) / most}%` }}
                  />
                </div>
              </td>
              <td class="bench-figure">
                <strong>{format(median)}</strong>{" "}
                <span class="muted">
                  ({format(min)} to {format(max)})
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {ratio && first && second && (
        <p>
          {name(first.framework)} answers <strong>{ratio.median.toFixed(2)} times</strong> as many as{" "}
          {name(second.framework)}, {ratio.min.toFixed(2)} to {ratio.max.toFixed(2)} in the single rounds
          {ratio.min <= 1 && ratio.max >= 1 ? ": no difference that this benchmark can show." : "."}
        </p>
      )}
    </>
  );
}

const format = (rate: number) => Math.round(rate).toLocaleString("en");
