import { useState } from "preact/hooks";
import type { BackendKey, CheckResult } from "../../api.ts";
import { checkRuns, findBackend, options } from "../state.ts";

interface CheckListProps {
  backends: BackendKey[];
  isCompact?: boolean;
}

/** Each check with its sentence and, when opened, its requests and answers: of one backend, or of two. */
export function CheckList({ backends, isCompact = false }: CheckListProps) {
  const runs = backends.flatMap((key) => checkRuns.value[key] ?? []);
  const names = [...new Set(runs.flatMap((run) => run.names))];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also for those who have no mouse
    <ul class={`checks ${isCompact ? "compact" : ""}`} aria-label="Checks" tabIndex={0}>
      {names.map((name) => (
        <CheckItem key={name} name={name} backends={backends} />
      ))}
    </ul>
  );
}

function CheckItem({ name, backends }: { name: string; backends: BackendKey[] }) {
  const [isOpen, setOpen] = useState(false);
  const results = backends.map((key) => checkRuns.value[key]?.results[name]);
  return (
    <li>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          {results.map((result, index) => (
            <CheckMark key={backends[index]} result={result} />
          ))}
          <span>{name}</span>
        </summary>
        {isOpen &&
          results.map((result, index) => (
            <Evidence
              key={backends[index]}
              backend={backends[index] ?? ""}
              result={result}
              isNamed={results.length > 1}
            />
          ))}
      </details>
    </li>
  );
}

const marks = { passed: "✓", failed: "✗", skipped: "–" };

function CheckMark({ result }: { result: CheckResult | undefined }) {
  return (
    <span class={`check-mark ${result?.state ?? "waiting"}`}>
      <span aria-hidden="true">{result ? marks[result.state] : "·"}</span>
      <span class="visually-hidden">{result?.state ?? "waiting"}: </span>
    </span>
  );
}

/** What was sent, and what came back. */
function Evidence({
  backend,
  result,
  isNamed,
}: {
  backend: BackendKey;
  result: CheckResult | undefined;
  isNamed: boolean;
}) {
  const framework = findBackend(backend)?.framework;
  const title = options.frameworks.find(({ name }) => name === framework)?.title;
  return (
    <div class="evidence">
      {isNamed && <h3>{title}</h3>}
      {!result && <p class="hint">Not run yet.</p>}
      {result?.reason && <p class={`notice ${result.state === "failed" ? "bad" : "warn"}`}>{result.reason}</p>}
      {result?.exchanges.map(({ request, answer }, index) => (
        <div class="exchange" key={index}>
          <figure>
            <figcaption class="label">Request</figcaption>
            <pre class="block">{request}</pre>
          </figure>
          <figure>
            <figcaption class="label">Answer</figcaption>
            <pre class="block">{answer ?? "None"}</pre>
          </figure>
        </div>
      ))}
      {result && <p class="hint">{result.ms} ms</p>}
    </div>
  );
}
