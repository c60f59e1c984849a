import { checkRuns, findBackend, findLatestJob, options } from "../state.ts";
import { listKeys } from "./backends.ts";
import { CheckList } from "./check-list.tsx";
import { CheckSummaryLine } from "./check-summary.tsx";

/** The suite: each check of the contract, as it passes or fails. */
export function ChecksCard() {
  const keys = listKeys().filter((key) => checkRuns.value[key]);
  const faults = listKeys().map((key) => findLatestJob("check", key)?.fault?.message);
  return (
    <section class="card stack">
      <h2>Checks</h2>
      {keys.length === 0 && (
        <p class="hint">Check runs the contract's suite: each check is a sentence, with its requests and answers.</p>
      )}
      {[...new Set(faults)].map((fault) => fault && <p class="notice bad">{fault}</p>)}
      {keys.map((key) => {
        const run = checkRuns.value[key];
        const framework = findBackend(key)?.framework;
        const title = options.frameworks.find(({ name }) => name === framework)?.title ?? "";
        return run && <CheckSummaryLine key={key} run={run} title={keys.length > 1 ? title : ""} />;
      })}
      {keys.length > 0 && <CheckList backends={keys} />}
    </section>
  );
}
