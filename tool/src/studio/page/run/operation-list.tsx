import { useEffect, useState } from "preact/hooks";
import { showFailure } from "../actions.ts";
import { getJson } from "../api-client.ts";
import { findBackend } from "../state.ts";
import { listRunning } from "./backends.ts";
import { listOperations, type OpenApi, type Operation } from "./openapi.ts";
import { OperationForm } from "./operation-form.tsx";

/** A form for each operation of the backend that runs. */
export function OperationList() {
  const [key] = listRunning();
  const backend = key === undefined ? undefined : findBackend(key);
  const operations = useOperations(key, backend?.url ?? null);
  if (key === undefined)
    return (
      <section class="card stack">
        <h2>Requests</h2>
        <p class="hint">Once it runs, there is a form here for each operation of its openapi.json.</p>
      </section>
    );
  return (
    <section class="stack" aria-labelledby="requests-title">
      <h2 id="requests-title" class="visually-hidden">
        Requests
      </h2>
      {operations.map((operation) => (
        <OperationForm key={`${operation.method} ${operation.path}`} operation={operation} />
      ))}
    </section>
  );
}

function useOperations(key: string | undefined, url: string | null): Operation[] {
  const [operations, setOperations] = useState<Operation[]>([]);
  useEffect(() => {
    if (key === undefined || url === null) return;
    getJson<OpenApi>(`/api/openapi?backend=${encodeURIComponent(key)}`)
      .then((document) => setOperations(listOperations(document)))
      .catch(showFailure);
  }, [key, url]);
  return operations;
}
