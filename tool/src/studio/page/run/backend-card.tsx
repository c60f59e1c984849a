import type { BackendKey, BackendState } from "../../api.ts";
import { FaultNotice } from "../controls/fault-notice.tsx";
import { choices, findBackend, findLatestJob, options, view } from "../state.ts";
import { isStale } from "./backends.ts";

/** What is known of a backend. */
export function BackendCard({ backendKey }: { backendKey: BackendKey }) {
  const backend = findBackend(backendKey);
  const job = findLatestJob("start", backendKey);
  const asked = backendKey === "main" ? choices.value.framework : view.value.beside;
  const name = backend?.framework ?? asked ?? "";
  const title = options.frameworks.find((framework) => framework.name === name)?.title ?? name;
  const reason = backend?.reason ?? (job?.state === "failed" ? job.fault?.message : undefined);
  return (
    <section class="backend" aria-label={title}>
      <div class="row">
        <h2>{title}</h2>
        <StateBadge state={backend?.state ?? "stopped"} />
        {backend?.url && (
          <a class="mono" href={backend.url} target="_blank" rel="noreferrer">
            {backend.url}
          </a>
        )}
      </div>
      {backend?.state === "running" && isStale(backend) && (
        <p class="notice warn">The choices have changed since it was started. Start runs what is chosen now.</p>
      )}
      {reason && <FaultNotice message={reason} />}
    </section>
  );
}

function StateBadge({ state }: { state: BackendState["state"] }) {
  const kind = { preparing: "accent", running: "good", stopped: "", failed: "bad" }[state];
  return (
    <span class={`badge ${kind}`} role="status">
      {state === "preparing" && <span class="spinner" aria-hidden="true" />}
      {state}
    </span>
  );
}
