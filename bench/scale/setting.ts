import type { Load } from "../load.ts";
import type { ObservedPostgres } from "./database.ts";

export const fullPlan = {
  replicas: [1, 2, 4, 8, 16],
  resources: [1, 4, 16],
  items: [1000, 10_000, 100_000],
  clients: [0, 500, 1000, 2000],
  warmUpMs: 1000,
  loadMs: 3000,
  // The driver closes a connection after ten seconds without use.
  settleMs: 11_000,
  idleMs: 20_000,
  rounds: 5,
};
export const quickPlan: typeof fullPlan = {
  ...fullPlan,
  replicas: [1, 4, 8],
  resources: [1, 4],
  warmUpMs: 500,
  loadMs: 1000,
  settleMs: 4000,
  idleMs: 10_000,
  rounds: 3,
};

/** What the measurements share. */
export interface ScaleSetting {
  plan: typeof fullPlan;
  postgres: ObservedPostgres;
  load: Load;
  /** A backend with what works in the background. */
  bundle: string;
  report(progress: string): void;
}
