import { Fault } from "../fault.ts";
import type { Application } from "./application.ts";
import type { Progress } from "./progress.ts";
import type { Release } from "./release.ts";
import type { Secrets } from "./secrets.ts";
import type { Snapshot } from "./snapshot.ts";

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
  /** Whether it was live already, as it is, so that there was nothing to do. */
  isUnchanged?: boolean;
}

/** Yes, or why not and what to do instead. */
export type Ability = true | string;

/** A place that runs containers. What it can do is data, and checked in one place (abilities.ts). */
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
    /** Keep what a service writes to a file. */
    files: Ability;
    /** Take an image that is not built here by its tag: else it must be named by digest. */
    tags: Ability;
  };
  open(application: Application): Promise<Driver>;
}

/** The right to change an application at a target. */
export interface Lock {
  /** Stops a publisher that lost it. */
  check(): void | Promise<void>;
  release(): Promise<void>;
}

/** How a target does what deploy.ts asks for, for one application. */
export interface Driver<R extends Release = Release> {
  /** Where it works, where that is not plain: to publish to the wrong place is a costly mistake, so it is printed. */
  place?: string;
  /** The other machine on which a port will be open, if there is one. */
  host?: string | undefined;
  /** How often it is worth looking. */
  paceMs: number;
  /** Refuses what only this target can find wrong, before anything is changed. */
  check(options: Options): Promise<void>;
  /** Nothing where the platform itself lets only one publisher change something. */
  lock?(options: Options): Promise<Lock>;
  /** What was released, oldest first. */
  history(): Promise<R[]>;
  /** Keeps the history; nothing where it travels with what runs. */
  record?(releases: R[]): Promise<void>;
  /** The release as it will be recorded, with all that this target needs to bring it back. Changes nothing. */
  plan(attempt: Omit<Attempt, "progress">, before: R[], id: string): Promise<R>;
  /** Passes the values of secrets; without values their version must still be there. */
  putSecrets(release: R, values: Record<string, Secrets> | undefined, live: R | undefined): Promise<R>;
  /** What becomes of values that were passed for a release that failed, where they do not go with it. */
  secretsRemain?: string;
  /** Makes the release run: beside the live one where there is a switch, else in its place, one by one. */
  apply(release: R, before: R[]): Promise<void>;
  /** What is seen of a release at this moment; with so many last lines of the log of what is not ready. */
  observe(release: R, lines?: number): Promise<Snapshot>;
  /** Moves the traffic, where applying does not. */
  switchTo?(release: R): Promise<void>;
  /** Removes what a release brought, and makes the live one run again as it was. */
  revert(failed: R, live: R | undefined): Promise<void>;
  /** Removes what belongs to none of these releases; and secrets that belong to none of `withSecrets`. */
  prune(releases: R[], withSecrets: R[]): Promise<void>;
  url(release: R): Promise<string>;
  logs(release: R, how: { isFollowing: boolean; lines: number }): Promise<number>;
  /** What the target would be told, for `--plan`; nothing where the plan says it all. */
  render?(release: R, secrets: Record<string, Secrets>): Promise<string>;
  /** What an application keeps that is lost when it is deleted, each as a person would name it. */
  data(): Promise<string[]>;
  /** Removes the application, whatever of it is still there; its data only if that is said. */
  remove(isDataDeleted: boolean): Promise<void>;
}

export function scaleOf({ replicas = 1, autoscale }: Options): Scale {
  return autoscale ?? { min: replicas, max: replicas };
}

/** Whether a number of instances was asked for, or is to stay as it is. */
export const isScaled = ({ replicas, autoscale }: Options) => replicas !== undefined || autoscale !== undefined;

/** What is asked for to learn whether it serves: our own backends report their health, of others any page will do. */
export const healthPath = ({ services }: Application) => (services[0]?.request ? "/health" : "/");

export const exitCodes = { unchanged: 1, rolled_back: 2, rollback_failed: 3 } as const;

/** A release that did not become live, and what that means for the one before. */
export class ReleaseFault extends Fault {
  readonly outcome: keyof typeof exitCodes;

  constructor(code: string, message: string, outcome: ReleaseFault["outcome"]) {
    super(code, message);
    this.outcome = outcome;
  }
}
