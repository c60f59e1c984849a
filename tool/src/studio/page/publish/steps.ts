import type { outcomes } from "../../../publish/outcomes.ts";
import type { PublishEvent } from "../../api.ts";

export interface Step {
  title: string;
  state: "started" | "done" | "failed";
  ms?: number | undefined;
  /** What it is doing. */
  text?: string | undefined;
}

/** The steps of a publish as they stand after these events, which `--json` prints too. */
export function toSteps(events: PublishEvent[]): Step[] {
  const steps: (Step & { name: string })[] = [];
  for (const event of events) {
    if (event.event !== "step") continue;
    const { step: name, title = name, state, ms, text } = event;
    if (state === "started") steps.push({ name, title, state });
    const step = steps.findLast((one) => one.name === name);
    if (!step) continue;
    if (state === "running") step.text = text;
    else Object.assign(step, { state, ms });
  }
  return steps;
}

export function listNotes(events: PublishEvent[]): string[] {
  return events.flatMap((event) => (event.event === "note" ? [event.text] : []));
}

/** What became of what was live before, if the publish failed. */
export function findOutcome(events: PublishEvent[]): keyof typeof outcomes | undefined {
  const result = events.findLast((event) => event.event === "result");
  return result?.outcome as keyof typeof outcomes | undefined;
}
