import { batch } from "@preact/signals";
import type { StudioEvent } from "../api.ts";
import { refreshState, showFailure } from "./actions.ts";
import { checkRuns, isConnected, type LogLine, lines, publishEvents, rounds, studio } from "./state.ts";

/** How many lines of logs are kept. */
const mostLines = 1000;

const opened = studio.peek().lastEvent;

/** Receives what happens in the studio. What happened before the page was opened comes first. */
export function followEvents(): void {
  const source = new EventSource("/api/events");
  let waiting: StudioEvent[] = [];
  let last = 0;
  const apply = () => {
    const events = waiting;
    waiting = [];
    batch(() => {
      events.forEach(applyEvent);
      addLines(events.filter((event) => event.type === "line"));
    });
  };
  source.onmessage = ({ data }) => {
    const event: StudioEvent = JSON.parse(data);
    if (event.id <= last) return;
    last = event.id;
    // Events come in bursts, and the page is drawn once for each.
    if (waiting.length === 0) setTimeout(apply, 20);
    waiting.push(event);
  };
  source.onerror = () => {
    isConnected.value = false;
  };
  source.onopen = () => {
    if (!isConnected.value) refreshState().catch(showFailure);
    isConnected.value = true;
  };
}

function applyEvent(event: StudioEvent): void {
  // The page came with what these say.
  if (event.id <= opened && ["job", "backend", "state"].includes(event.type)) return;
  switch (event.type) {
    case "job":
      studio.value = { ...studio.value, jobs: replace(studio.value.jobs, event.job, "id") };
      break;
    case "backend":
      studio.value = { ...studio.value, backends: replace(studio.value.backends, event.backend, "key") };
      break;
    case "checks":
      checkRuns.value = {
        ...checkRuns.value,
        [event.backend]: { job: event.job, names: event.checks, results: {} },
      };
      break;
    case "check": {
      const run = checkRuns.value[event.backend] ?? { job: event.job, names: [], results: {} };
      const results = { ...run.results, [event.check.check]: event.check };
      checkRuns.value = { ...checkRuns.value, [event.backend]: { ...run, results } };
      break;
    }
    case "bench": {
      const before = rounds.value.job === event.job ? rounds.value.rounds : [];
      rounds.value = { job: event.job, rounds: [...before, event.round] };
      break;
    }
    case "publish": {
      const before = publishEvents.value[event.job] ?? [];
      publishEvents.value = { ...publishEvents.value, [event.job]: [...before, event.event] };
      break;
    }
    case "state":
      refreshState().catch(showFailure);
  }
}

/** All lines of a burst at once: a backend may print thousands a second. */
function addLines(added: LogLine[]): void {
  if (added.length > 0) lines.value = [...lines.value, ...added.slice(-mostLines)].slice(-mostLines);
}

/** The list with this one in the place of the one with the same key, or at its end. */
function replace<T, K extends keyof T>(list: T[], item: T, key: K): T[] {
  const isKnown = list.some((one) => one[key] === item[key]);
  return isKnown ? list.map((one) => (one[key] === item[key] ? item : one)) : [...list, item];
}
