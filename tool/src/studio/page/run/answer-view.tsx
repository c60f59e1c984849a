import { findBackend, options } from "../state.ts";
import type { Answer } from "./known.ts";

/** An answer: status, duration, headers and body. */
export function AnswerView({ answer: { backend, answer, failure }, isNamed }: { answer: Answer; isNamed: boolean }) {
  const framework = findBackend(backend)?.framework;
  const title = options.frameworks.find(({ name }) => name === framework)?.title;
  return (
    <div class="answer">
      {isNamed && <h4>{title}</h4>}
      {failure && <p class="notice bad">{failure}</p>}
      {answer && (
        <>
          <p class="row">
            <span class={`badge ${answer.status < 400 ? "good" : "bad"}`}>
              {answer.status} {answer.statusText}
            </span>
            <span class="small muted">{answer.ms.toFixed(1)} ms</span>
          </p>
          <details>
            <summary class="small">{answer.headers.length} headers</summary>
            <pre class="block">{answer.headers.map(([name, value]) => `${name}: ${value}`).join("\n")}</pre>
          </details>
          {answer.body !== "" && <pre class="block">{format(answer.body)}</pre>}
          {answer.isTruncated && <p class="hint">The rest of the body is left out.</p>}
        </>
      )}
    </div>
  );
}

/** JSON with line breaks, anything else as it is. */
function format(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
