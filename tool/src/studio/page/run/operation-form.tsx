import { useState } from "preact/hooks";
import type { BackendKey, SendAnswer } from "../../api.ts";
import { explain, postJson } from "../api-client.ts";
import { Button } from "../controls/button.tsx";
import { Control } from "../controls/control.tsx";
import { SelectField } from "../controls/select-field.tsx";
import { TextField } from "../controls/text-field.tsx";
import { findBackend, suggestions } from "../state.ts";
import { type Answer, AnswerView } from "./answer-view.tsx";
import { listRunning } from "./backends.ts";
import type { Operation } from "./openapi.ts";

/** Sends one operation to what runs: with two frameworks, to both. */
export function OperationForm({ operation }: { operation: Operation }) {
  const { method, path, summary, parameters, contentType, example, needsToken } = operation;
  const [values, setValues] = useState<Record<string, string>>({});
  const [body, setBody] = useState(example);
  const [token, setToken] = useState(0);
  const [answers, setAnswers] = useState<Answer[]>([]);
  const [isBusy, setBusy] = useState(false);
  const tokens = findBackend("main")?.tokens ?? [];
  const send = async () => {
    setBusy(true);
    const sendOne = (backend: BackendKey) => {
      const given = { ...suggestions.value[backend], ...values };
      const own = needsToken ? findBackend(backend)?.tokens[token] : undefined;
      const headers = collectHeaders(operation, given, own);
      return sendTo(backend, { method, path: fillPath(operation, given), headers, ...(contentType ? { body } : {}) });
    };
    const received = await Promise.all(listRunning().map(sendOne));
    received.forEach(rememberAnswer);
    setAnswers(received);
    setBusy(false);
  };
  return (
    <form class="card operation" aria-label={`${method} ${path}`} onSubmit={(event) => event.preventDefault()}>
      <div class="row">
        <h3 class="mono">
          <span class={`method ${method.toLowerCase()}`}>{method}</span> {path}
        </h3>
        <span class="small muted">{summary}</span>
      </div>
      {(parameters.length > 0 || needsToken) && (
        <div class="parameters">
          {parameters.map(({ name, required }) => (
            <TextField
              key={name}
              label={name}
              value={values[name] ?? suggestions.value["main"]?.[name] ?? ""}
              isRequired={required ?? false}
              onInput={(value) => setValues({ ...values, [name]: value })}
            />
          ))}
          {needsToken && (
            <SelectField
              label="Token"
              value={String(token)}
              options={[
                ...tokens.map((_, index) => ({ value: String(index), title: `Token ${index + 1} of API_TOKENS` })),
                { value: "-1", title: "No token" },
              ]}
              onChange={(value) => setToken(Number(value))}
            />
          )}
        </div>
      )}
      {contentType && (
        <Control label="Body">
          {(ids) => (
            <textarea
              {...ids}
              rows={Math.min(12, Math.max(3, body.split("\n").length))}
              value={body}
              spellcheck={false}
              onInput={({ currentTarget }) => setBody(currentTarget.value)}
            />
          )}
        </Control>
      )}
      <div class="row">
        <Button isBusy={isBusy} onClick={send}>
          Send
        </Button>
      </div>
      {answers.length > 0 && (
        <div class={`answers ${answers.length > 1 ? "two" : ""}`} role="status">
          {answers.map((answer) => (
            <AnswerView key={answer.backend} answer={answer} isNamed={answers.length > 1} />
          ))}
        </div>
      )}
    </form>
  );
}

interface Sent {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
}

async function sendTo(backend: BackendKey, sent: Sent): Promise<Answer> {
  try {
    return { backend, answer: await postJson<SendAnswer>("/api/send", { backend, ...sent }) };
  } catch (error) {
    return { backend, failure: explain(error) };
  }
}

/** Keeps what other requests need of an item. */
function rememberAnswer({ backend, answer }: Answer): void {
  if (!answer || answer.status >= 300) return;
  const id = /^\{"id":"([^"]+)"/.exec(answer.body)?.[1];
  const etag = answer.headers.find(([name]) => name.toLowerCase() === "etag")?.[1];
  if (id === undefined) return;
  const kept = { id, ...(etag === undefined ? {} : { "If-Match": etag }) };
  suggestions.value = { ...suggestions.value, [backend]: kept };
}

/** The path with its parameters, and the query. What is empty is left out. */
function fillPath({ path, parameters }: Operation, values: Record<string, string>): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(values[name] ?? ""));
  const query = new URLSearchParams(
    parameters.filter((one) => one.in === "query" && values[one.name]).map(({ name }) => [name, values[name] ?? ""]),
  ).toString();
  return query === "" ? filled : `${filled}?${query}`;
}

function collectHeaders(operation: Operation, values: Record<string, string>, token: string | undefined) {
  const own = operation.parameters.filter((one) => one.in === "header" && values[one.name]);
  return {
    ...(operation.contentType ? { "Content-Type": operation.contentType } : {}),
    ...(token ? { Authorization: `Bearer ${token}` } : {}),
    ...Object.fromEntries(own.map(({ name }) => [name, values[name] ?? ""])),
  };
}
