import { Fault } from "../fault.ts";
import type { Application } from "./application.ts";
import type { Progress } from "./progress.ts";
import type { Release } from "./release.ts";
import type { Secrets } from "./secrets.ts";

/** How many of each service run. */
export interface Scale {
  min: number;
  max: number;
}

/** How it is to be published, as far as that was said. */
export interface Options {
  port?: number;
  domain?: string;
  replicas?: number;
  /** Between these the platform chooses by itself. */
  autoscale?: Scale;
  /** Whether to wait while another publishes. */
  isWaiting: boolean;
  /** How long a new release may take to become healthy, and how long it is watched after the switch. */
  healthMs: number;
  watchMs: number;
  /** Aborted when whoever runs this presses Ctrl-C. */
  interrupted: AbortSignal;
}

/** One try to make a release live. */
export interface Attempt {
  application: Application;
  release: Omit<Release, "id" | "status">;
  /** The values for each service; a rollback has none, since their versions are kept at the target. */
  secrets?: Record<string, Secrets>;
  options: Options;
  progress: Progress;
}

export interface Published {
  release: Release;
  url: string;
}

/** A place that runs containers. */
export interface Target {
  /** Whether images reach it through a registry. */
  needsRegistry: boolean;
  /** Whether what a service writes to a file is gone with the next release. */
  losesFiles?: boolean;
  /** Finds out, before anything is changed, whether it can be published there. */
  check(application: Application, options: Options): Promise<void>;
  /** What was released there, oldest first, and where it is reached. */
  look(application: Application): Promise<{ releases: Release[]; url?: string }>;
  /** What the target would be told, for `--plan`; nothing where the plan says it all. */
  render?(attempt: Omit<Attempt, "progress">): Promise<string>;
  release(attempt: Attempt): Promise<Published>;
  rollback(
    application: Application,
    wanted: string | undefined,
    options: Options,
    progress: Progress,
  ): Promise<Published>;
  /** One line for each thing that runs. */
  status(application: Application): Promise<string[]>;
  logs(application: Application, options: { isFollowing: boolean; lines: number }): Promise<number>;
}

export function scaleOf({ replicas = 1, autoscale }: Options): Scale {
  return autoscale ?? { min: replicas, max: replicas };
}

export const exitCodes = { unchanged: 1, rolled_back: 2, rollback_failed: 3 } as const;

/** A release that did not become live, and what that means for the one before. */
export class ReleaseFault extends Fault {
  readonly outcome: keyof typeof exitCodes;

  constructor(code: string, message: string, outcome: ReleaseFault["outcome"]) {
    super(code, message);
    this.outcome = outcome;
  }
}
