import { useState } from "preact/hooks";
import type { ProjectState, ReleaseRow, ReleasesState } from "../../api.ts";
import { runJob } from "../actions.ts";
import { Button } from "../controls/button.tsx";
import { findLatestJob, isRunning, publishForm, studio } from "../state.ts";
import { AfterOptionFields, type AfterOptions, noAfterOptions } from "./after-options.tsx";
import { findPlace } from "./fault-place.ts";
import { listNames } from "./names.ts";
import { ReleaseLog } from "./release-log.tsx";
import { UnpublishDialog } from "./unpublish-dialog.tsx";

/** What was published to the target, and what is live. */
export function ReleasesCard({ project }: { project: ProjectState }) {
  const { target, options } = publishForm.value;
  const known = studio.value.releases[target];
  const status = findLatestJob("status", target);
  const logs = findLatestJob("logs", target);
  const [isAsking, setAsking] = useState(false);
  const [after, setAfter] = useState<AfterOptions>(noAfterOptions);
  const isPublished = (known?.releases.length ?? 0) > 0;
  const rollBack = (release: string) => {
    const { wait = false, "health-seconds": health = "", "watch-seconds": watch = "" } = options;
    const pace = { "health-seconds": health, "watch-seconds": watch };
    return runJob({ kind: "rollback", target, release, options: { ...pace, wait, "keep-secrets": after.isKeeping } });
  };
  const showLogs = () => runJob({ kind: "logs", target, options: { lines: after.lines, follow: after.isFollowing } });
  return (
    <section class="card stack">
      <div class="row">
        <Button isBusy={isRunning(status)} onClick={() => runJob({ kind: "status", target })}>
          Status
        </Button>
        <Button isBusy={isRunning(logs)} isDisabled={!isPublished} onClick={showLogs}>
          Logs
        </Button>
        <Button kind="danger" isDisabled={!isPublished} onClick={() => setAsking(true)}>
          Unpublish
        </Button>
      </div>
      {status?.state === "failed" && status.fault && findPlace(status.fault, listNames()) === undefined && (
        <p class="notice bad">{status.fault.message}</p>
      )}
      <LiveStatus known={known} name={project.name} />
      <ReleaseTable releases={known?.releases ?? []} onRollBack={rollBack} />
      {isPublished && <AfterOptionFields project={project} options={after} onChange={setAfter} />}
      {logs && <ReleaseLog job={logs} />}
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
            <th scope="col">
              <span class="visually-hidden">Action</span>
            </th>
            <th scope="col">Published</th>
            <th scope="col">Commit</th>
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
                {release.reason && (
                  // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also for those who have no mouse
                  <p class="small reason" tabIndex={0}>
                    {release.reason}
                  </p>
                )}
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
              <td class="small">{formatTime(release.at)}</td>
              <td class="mono">
                {release.commit?.slice(0, 9) ?? "none"}
                {release.isDirty && <span class="muted"> (dirty)</span>}
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
