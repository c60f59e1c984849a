import { useState } from "preact/hooks";
import type { ProjectState, ReleaseRow, ReleasesState } from "../../api.ts";
import { runJob } from "../actions.ts";
import { Button } from "../controls/button.tsx";
import { Checkbox } from "../controls/checkbox.tsx";
import { findLatestJob, isRunning, lines, publishForm, studio } from "../state.ts";
import { UnpublishDialog } from "./unpublish-dialog.tsx";

/** What was published to the target, and what is live. */
export function ReleasesCard({ project }: { project: ProjectState }) {
  const { target } = publishForm.value;
  const known = studio.value.releases[target];
  const status = findLatestJob("status", target);
  const logs = findLatestJob("logs", target);
  const [isAsking, setAsking] = useState(false);
  const [isKeepingSecrets, setKeepingSecrets] = useState(false);
  const isPublished = (known?.releases.length ?? 0) > 0;
  return (
    <section class="card stack">
      <div class="row">
        <Button isBusy={isRunning(status)} onClick={() => runJob({ kind: "status", target })}>
          Status
        </Button>
        <Button isBusy={isRunning(logs)} isDisabled={!isPublished} onClick={() => runJob({ kind: "logs", target })}>
          Logs
        </Button>
        <Button kind="danger" isDisabled={!isPublished} onClick={() => setAsking(true)}>
          Unpublish
        </Button>
      </div>
      {status?.state === "failed" && status.fault && status.fault.parameter === undefined && (
        <p class="notice bad">{status.fault.message}</p>
      )}
      <LiveStatus known={known} name={project.name} />
      <ReleaseTable
        releases={known?.releases ?? []}
        onRollBack={(release) => runJob({ kind: "rollback", target, release, isKeepingSecrets })}
      />
      {isPublished && project.secrets.length > 0 && (
        <Checkbox
          label="Keep the current secrets when rolling back"
          isChecked={isKeepingSecrets}
          onChange={setKeepingSecrets}
        />
      )}
      {logs && <LogLines job={logs.id} fault={logs.fault?.message} />}
      {isAsking && <UnpublishDialog project={project} target={target} onClose={() => setAsking(false)} />}
    </section>
  );
}

function LiveStatus({ known, name }: { known: ReleasesState | undefined; name: string }) {
  if (!known) return null;
  return (
    <div class="stack" role="status">
      {known.url && (
        <p>
          Serving at{" "}
          <a href={known.url} target="_blank" rel="noreferrer">
            {known.url}
          </a>
        </p>
      )}
      {known.status ? <pre class="block">{known.status}</pre> : <p class="hint">{name} is not published here.</p>}
    </div>
  );
}

interface ReleaseTableProps {
  releases: ReleaseRow[];
  onRollBack: (release: string) => void;
}

function ReleaseTable({ releases, onRollBack }: ReleaseTableProps) {
  const isBusy = isRunning(findLatestJob("rollback"));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also for those who have no mouse
    <section class="table-scroll" tabIndex={0} aria-label="Table of releases">
      <table>
        <caption>
          <h2>Releases</h2>
        </caption>
        <thead>
          <tr>
            <th scope="col">Release</th>
            <th scope="col">State</th>
            <th scope="col">Published</th>
            <th scope="col">Commit</th>
            <th scope="col">
              <span class="visually-hidden">Action</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {releases.length === 0 && (
            <tr>
              <td colSpan={5} class="muted">
                None yet.
              </td>
            </tr>
          )}
          {releases.map((release) => (
            <tr key={release.id}>
              <th scope="row" id={`release-${release.id}`}>
                {release.id}
              </th>
              <td>
                <span class={`badge ${badges[release.status] ?? ""}`}>{release.status}</span>
                {release.restores && <span class="small muted"> restores {release.restores}</span>}
                {release.reason && <p class="small reason">{release.reason}</p>}
              </td>
              <td class="small">{formatTime(release.at)}</td>
              <td class="mono">
                {release.commit?.slice(0, 9) ?? "none"}
                {release.isDirty && <span class="muted"> (dirty)</span>}
              </td>
              <td>
                {release.status === "replaced" && (
                  <Button
                    isDisabled={isBusy}
                    describedBy={`release-${release.id}`}
                    onClick={() => onRollBack(release.id)}
                  >
                    Roll back
                  </Button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const badges: Record<string, string> = { live: "good", failed: "bad", pending: "accent" };

const formatTime = (at: string) => at.slice(0, 16).replace("T", " ");

function LogLines({ job, fault }: { job: string; fault: string | undefined }) {
  const own = lines.value.filter((line) => line.job === job);
  return (
    <div class="stack">
      <h3 id="release-log">What it logs</h3>
      {fault && <p class="notice bad">{fault}</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also for those who have no mouse */}
      <div class="block mono log" role="log" aria-labelledby="release-log" tabIndex={0}>
        {own.map(({ id, text }) => (
          <div key={id}>{text}</div>
        ))}
      </div>
    </div>
  );
}
