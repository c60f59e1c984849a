import { Fault } from "../fault.ts";
import type { Application } from "./application.ts";
import type { DatabaseUse } from "./connections.ts";
import type { Progress } from "./progress.ts";
import type { Release, Scale } from "./release.ts";
import type { RunResult } from "./run.ts";
import type { Secrets } from "./secrets.ts";
import type { Snapshot } from "./snapshot.ts";

/** The options of a publish. */
export interface Options {
  port?: number;
  domain?: string;
  replicas?: number;
  /** The platform chooses a number in this range. */
  autoscale?: Scale;
  /** Whether to wait while someone else publishes. */
  isWaiting: boolean;
  /** Whether to replace another project of the same name. */
  isTakingOver?: boolean;
  /** How long a new release may take to become healthy, and how long it is watched after the switch. */
  healthMs: number;
  watchMs: number;
  /** Aborted by Ctrl-C. */
  interrupted: AbortSignal;
}

/** One attempt to make a release live. */
export interface Attempt {
  application: Application;
  release: Omit<Release, "id" | "status">;
  /** The values for each service; a rollback has none, because the target keeps them. */
  secrets?: Record<string, Secrets>;
  options: Options;
  progress: Progress;
  /** Whether to release even if the same release is live. */
  isForced?: boolean;
  /** What the replicas of services may open; servers are asked what they allow. */
  uses?: DatabaseUse[];
  /** Throws if the releases are not those that were planned with. */
  confirm?: (releases: Release[]) => Promise<void>;
}

export interface Published {
  release: Release;
  url: string;
  /** Whether the same release was live already, so that there was nothing to do. */
  isUnchanged?: boolean;
}

/** True, or why not and what to do instead. */
export type Ability = true | string;

/** A platform that runs containers. What it can do is data, which abilities.ts checks. */
export interface Target {
  /** Whether images reach it through a registry. */
  needsRegistry: boolean;
  can: {
    /** Several services that are released together. */
    services: Ability;
    replicas: Ability;
    autoscale: Ability;
    port: Ability;
    domain: Ability;
    /** Whether files that a service writes are kept. */
    files: Ability;
    /** Whether a prebuilt image may be named by a tag; otherwise by digest only. */
    tags: Ability;
  };
  open(application: Application): Promise<Driver>;
}

/** The right to change an application at a target. */
export interface Lock {
  /** Throws if the lock was lost. */
  check(): void | Promise<void>;
  release(): Promise<void>;
}

/** The operations of a target that deploy.ts uses, for one application. */
export interface Driver<R extends Release = Release> {
  /** The project, cluster or app, printed because publishing to the wrong one is a costly mistake. */
  place?: string;
  /** The machine that opens the port, if it is not this one. */
  host?: string | undefined;
  /** The interval between two calls of `observe`. */
  paceMs: number;
  /** Checks of this target alone, before anything is changed. */
  check(options: Options): Promise<void>;
  /**
   * Undefined if the platform itself allows only one publisher at a time. While it waits, `update` gets the name of the
   * publisher that it waits for.
   */
  lock?(options: Options, update: (text: string) => void): Promise<Lock>;
  /** The publisher that holds the lock now; undefined if none does. Changes nothing. */
  findHolder?(): Promise<string | undefined>;
  /** What was released, oldest first. */
  history(): Promise<R[]>;
  /** What was released under the same name at another target, if its volumes have the same names. */
  neighbours?(): Promise<Release[]>;
  /** Saves the history; undefined if what runs carries it. */
  record?(releases: R[]): Promise<void>;
  /** The release as it will be recorded, with all that this target needs to restore it. Changes nothing. */
  plan(attempt: Omit<Attempt, "progress">, before: R[], id: string): Promise<R>;
  /** Passes the values of secrets; without values, their version must still exist. */
  putSecrets(release: R, values: Record<string, Secrets> | undefined, live: R | undefined): Promise<R>;
  /** A sentence about the secrets of a failed release, if they stay at the target. */
  secretsRemain?: string;
  /**
   * Runs the new image of a service once, to its end, to apply migrations while the live release serves. What a publisher
   * that was cut off has left of such a run is removed first.
   */
  migrate(release: R, service: string, live: R | undefined, update: (text: string) => void): Promise<RunResult>;
  /** Starts the services of a release that were not built from a folder, before the others; their database may be one. */
  startNeeded?(release: R, before: R[]): Promise<void>;
  /** Starts the release: next to the live one if there is a switch, otherwise in its place, one by one. */
  apply(release: R, before: R[]): Promise<void>;
  /** The current state of a release, with the last `lines` of the logs of what is not ready. */
  observe(release: R, lines?: number): Promise<Snapshot>;
  /** Moves the traffic, if `apply` does not. */
  switchTo?(release: R): Promise<void>;
  /** Removes a failed release, and makes the live one run as before. */
  revert(failed: R, live: R | undefined): Promise<void>;
  /** Removes what belongs to none of these releases, and secrets that belong to none of `withSecrets`. */
  prune(releases: R[], withSecrets: R[]): Promise<void>;
  url(release: R): Promise<string>;
  logs(release: R, how: { isFollowing: boolean; lines: number }): Promise<number>;
  /** The commands or manifests, for `--plan`; undefined if the plan shows everything. */
  render?(release: R, secrets: Record<string, Secrets>): Promise<string>;
  /** The data that is lost when an application is deleted, in words for a person. */
  data(): Promise<string[]>;
  /** Removes whatever still exists of the application; its data only if `isDataDeleted`. */
  remove(isDataDeleted: boolean): Promise<void>;
}

export function toScale({ replicas = 1, autoscale }: Options): Scale {
  return autoscale ?? { min: replicas, max: replicas };
}

/** Whether a number of instances was asked for. */
export const isScaled = ({ replicas, autoscale }: Options) => replicas !== undefined || autoscale !== undefined;

/** The path to request to check that it serves: our backends report their health, others any page. */
export const healthPath = ({ services }: Application) => (services[0]?.request ? "/health" : "/");

export const exitCodes = { unchanged: 1, rolled_back: 2, rollback_failed: 3 } as const;

/** A release that did not become live, and the state of the previous one. */
export class ReleaseFault extends Fault {
  readonly outcome: keyof typeof exitCodes;

  constructor(code: string, message: string, outcome: ReleaseFault["outcome"]) {
    super(code, message);
    this.outcome = outcome;
  }
}
