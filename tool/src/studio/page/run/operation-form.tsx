import type { BackendKey, SendAnswer } from "../../api.ts";
import { explain, postJson } from "../api-client.ts";
import { Button } from "../controls/button.tsx";
import { Control } from "../controls/control.tsx";
import { SelectField } from "../controls/select-field.tsx";
import { TextField } from "../controls/text-field.tsx";
import { findBackend, known, type RequestForm, requestForms } from "../state.ts";
import { AnswerView } from "./answer-view.tsx";
import { listRunning } from "./backends.ts";
import { type Answer, fillReferences, findResource, learn } from "./known.ts";
import type { Operation, Parameter } from "./openapi.ts";

/** Sends one operation to what runs: with two frameworks, to both. */
export function OperationForm({ operation }: { operation: Operation }) {
  const { method, path, summary, parameters, contentType, needsToken } = operation;
  const [first = "main"] = listRunning();
  const key = `${findBackend(first)?.url} ${method} ${path}`;
  const form = requestForms.value[key] ?? empty;
  const change = (changes: Partial<RequestForm>) => {
    requestForms.value = { ...requestForms.value, [key]: { ...(requestForms.value[key] ?? empty), ...changes } };
  };
  const send = async () => {
    const answers = await Promise.all(listRunning().map((backend) => sendTo(backend, operation, form)));
    for (const { backend, answer } of answers) if (answer) remember(backend, operation, answer);
    change({ answers });
  };
  const renderParameter = ({ name, required }: Parameter) => (
    <TextField
      key={name}
      label={name}
      value={form.values[name] ?? findKnown(first)[findResource(path)]?.[name] ?? ""}
      isRequired={required ?? false}
      onInput={(value) => change({ values: { ...form.values, [name]: value } })}
    />
  );
  const optional = parameters.filter(({ required }) => !required);
  const body = form.body ?? createBody(first, operation);
  return (
    <form class="card operation" aria-label={`${method} ${path}`} onSubmit={(event) => event.preventDefault()}>
      <div class="row">
        <h3 class="mono">
          <span class={`method ${method.toLowerCase()}`}>{method}</span> {path}
        </h3>
        <span class="small muted">{summary}</span>
      </div>
      {(optional.length < parameters.length || needsToken) && (
        <div class="parameters">
          {parameters.filter(({ required }) => required).map(renderParameter)}
          {needsToken && (
            <SelectField
              label="Token"
              value={String(form.token)}
              options={[
                ...(findBackend(first)?.tokens ?? []).map((_, index) => ({
                  value: String(index),
                  title: `Token ${index + 1} of API_TOKENS`,
                })),
                { value: "-1", title: "No token" },
              ]}
              onChange={(value) => change({ token: Number(value) })}
            />
          )}
        </div>
      )}
      {optional.length > 0 && (
        <details>
          <summary class="small">Optional: {optional.map(({ name }) => name).join(", ")}</summary>
          <div class="parameters">{optional.map(renderParameter)}</div>
        </details>
      )}
      {contentType && (
        <Control label="Body">
          {(ids) => (
            <textarea
              {...ids}
              rows={Math.min(12, Math.max(3, body.split("\n").length))}
              value={body}
              spellcheck={false}
              onInput={({ currentTarget }) => change({ body: currentTarget.value })}
            />
          )}
        </Control>
      )}
      <div class="row">
        <Button onClick={send}>Send</Button>
      </div>
      {form.answers.length > 0 && (
        <div class={`answers ${form.answers.length > 1 ? "two" : ""}`} role="status">
          {form.answers.map((answer) => (
            <AnswerView key={answer.backend} answer={answer} isNamed={form.answers.length > 1} />
          ))}
        </div>
      )}
    </form>
  );
}

const empty: RequestForm = { values: {}, token: 0, answers: [] };

const findKnown = (backend: BackendKey) => known.value[findBackend(backend)?.url ?? ""] ?? {};

const createBody = (backend: BackendKey, { example, references }: Operation) =>
  fillReferences(example, references, findKnown(backend));

async function sendTo(backend: BackendKey, operation: Operation, form: RequestForm): Promise<Answer> {
  const { method, path, contentType, needsToken } = operation;
  const values = { ...findKnown(backend)[findResource(path)], ...form.values };
  const token = needsToken ? findBackend(backend)?.tokens[form.token] : undefined;
  const headers = collectHeaders(operation, values, token);
  const body = contentType ? { body: form.body ?? createBody(backend, operation) } : {};
  try {
    const sent = { backend, method, path: fillPath(operation, values), headers, ...body };
    return { backend, answer: await postJson<SendAnswer>("/api/send", sent) };
  } catch (error) {
    return { backend, failure: explain(error) };
  }
}

function remember(backend: BackendKey, operation: Operation, answer: SendAnswer): void {
  const url = findBackend(backend)?.url ?? "";
  known.value = { ...known.value, [url]: learn(findKnown(backend), operation, answer) };
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
