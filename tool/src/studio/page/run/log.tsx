import { useEffect, useRef } from "preact/hooks";
import { findBackend, lines, studio } from "../state.ts";
import { listShownKeys } from "./backends.ts";
import { formatLine } from "./format-line.ts";

/** What the backends print, and what is done to start them. */
export function Log() {
  const keys = listShownKeys();
  const jobs = new Set(
    studio.value.jobs
      .filter(({ kind }) => ["create", "change", "start", "stop", "check", "bench"].includes(kind))
      .map(({ id }) => id),
  );
  const shown = lines.value.filter((line) =>
    line.backend === null ? line.job !== null && jobs.has(line.job) : keys.includes(line.backend),
  );
  const list = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    if (isAtEnd.current) list.current?.scrollTo({ top: list.current.scrollHeight });
  }, [shown.length]);
  const onScroll = ({ currentTarget: { scrollTop, scrollHeight, clientHeight } }: { currentTarget: HTMLElement }) => {
    isAtEnd.current = scrollHeight - scrollTop - clientHeight < 40;
  };
  return (
    <section class="card stack">
      <h2 id="log-title">Log</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also for those who have no mouse */}
      <div class="block mono log" role="log" aria-labelledby="log-title" tabIndex={0} ref={list} onScroll={onScroll}>
        {shown.length === 0 && <span class="muted">Nothing yet.</span>}
        {shown.map(({ id, text, backend }) => (
          <div key={id}>
            {keys.length > 1 && backend && <span class="muted">{findBackend(backend)?.framework} </span>}
            {formatLine(text)}
          </div>
        ))}
      </div>
    </section>
  );
}
