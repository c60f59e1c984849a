import { batch } from "@preact/signals";
import type { State, StudioEvent } from "../api.ts";
import { noteChange, refreshState, showFailure } from "./actions.ts";
import { getJson, ProblemError } from "./api-client.ts";
import { checkRuns, isConnected, type LogLine, lines, publishEvents, rounds, studio } from "./state.ts";

/** How many lines of logs are kept. */
const mostLines = 1000;

const opened = studio.peek().lastEvent;
/** The latest event that has arrived. */
let last = 0;

/** Receives what happens in the studio. What happened before the page was opened comes first. */
export function followEvents(): void {
  const source = new EventSource(`/api/events?after=${last}`);
  let waiting: StudioEvent[] = [];
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
    // A browser does not come back by itself if it was refused.
    if (source.readyState === EventSource.CLOSED) setTimeout(comeBack, 2000);
  };
  source.onopen = () => {
    if (!isConnected.value) refreshState().catch(showFailure);
    isConnected.value = true;
  };
}

/** The studio may have been started again meanwhile: then it does not know this browser, or has other events. */
async function comeBack(): Promise<void> {
  try {
    const { lastEvent } = await getJson<State>("/api/state");
    if (lastEvent < last) location.reload();
    else followEvents();
  } catch (error) {
    if (error instanceof ProblemError) showFailure(error);
    setTimeout(comeBack, 2000);
  }
}

function applyEvent(event: StudioEvent): void {
  // The page came with what these say.
  if (event.id <= opened && ["job", "backend", "state"].includes(event.type)) return;
  switch (event.type) {
    case "job":
    case "backend":
      noteChange(event);
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
