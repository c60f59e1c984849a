import { readRequest } from "../../../src/new/request.ts";
import type { Application } from "../../../src/publish/application.ts";
import type { Progress } from "../../../src/publish/progress.ts";
import { hashSecrets } from "../../../src/publish/secrets.ts";
import type { Attempt, Driver, Options } from "../../../src/publish/target.ts";

/** One application at one target, new for each test. */
export interface World {
  application: Application;
  /** Opens it as a publisher does, with short intervals. */
  open(): Promise<Driver>;
  attempt(asked: Asked): Attempt;
  /** A value of DATABASE_URL with which it becomes healthy; each contains `planted`. */
  secret(number: number): string;
  /** One with which it starts and never becomes ready. */
  unreadySecret: string;
  /** Ends the lease of a publisher without heartbeats, without the wait. */
  expireLease(): Promise<void>;
  /** Crashes only what serves; the platform may restart it. */
  crash?(): Promise<void>;
  /** The names of objects at the target that no kept release needs, except the history. */
  leftovers(): Promise<string[]>;
  /** Everything that others can see: command lines, environments, unencrypted storage. */
  visible?(): string;
  end?(): Promise<void>;
}

export interface Asked {
  env?: Record<string, string>;
  secret?: string;
  image?: string;
  /** The id of the project that is published. */
  project?: string;
  /** The last of its migrations, and what they may break for older releases. */
  lastMigration?: string;
  breaks?: string[];
}

/** What a target or a world cannot do, each with the reason. */
export interface Cannot {
  /** Lock out a second publisher with our lease. */
  lease?: string;
  /** Restore an earlier value of a secret. */
  oldSecrets?: string;
  /** Record a rollback as a new release. */
  ownRollback?: string;
  /** Record releases that failed. */
  failures?: string;
  /** Be made to crash while it serves. */
  crash?: string;
  /** Run the whole suite, with tests whose result does not depend on the target. */
  whole?: string;
  /** Be removed here: another test removes it from the same target. */
  removal?: string;
}

/** In every value of a secret, so that a leak is found. */
export const planted = "s3cret-planted-here";
/** A value that our backends refuse, so that they end at startup. */
export const crashing = { LOG_LEVEL: "loud" };
/** Their log line in that case. */
export const crashLine = "LOG_LEVEL must be one of";

/** An application of one service, or of several, with one secret; it has the name of the first. */
export function shop(...names: string[]): Application {
  const [first = "shop", ...others] = names;
  const request = readRequest({ name: first, framework: "hono", database: "postgres" });
  const services = [first, ...others].map((name) => ({
    name,
    folder: "/nowhere",
    port: 3000,
    env: { LOG_LEVEL: "warn" },
    secrets: ["DATABASE_URL"],
    request,
  }));
  return { name: first, folder: "/nowhere", services };
}

export const digest = (letter: string) => `registry.example.com/shop@sha256:${letter.repeat(64)}`;

export const postgresSecret = (number: number) => `postgres://shop:${planted}-${number}@db/shop`;
/** In the stand-ins, this host does not answer. */
export const unanswered = `postgres://shop:${planted}@unanswered/shop`;

/** For real targets: a file that is lost with its container, and a server that does not exist. */
export const fileSecret = (number: number) => `file:/tmp/${planted}-${number}.db`;
export const unreachable = `postgres://shop:${planted}@192.0.2.1/shop`;

const key = "k".repeat(64);

/** An attempt to release all services of an application in the same way. */
export function attemptFor(application: Application, options: Options, asked: Asked): Attempt {
  const { secret = postgresSecret(1), image = digest("a"), env, project, lastMigration: last, breaks = [] } = asked;
  const services = application.services.map(({ name, port, env: own, secrets }) => ({
    name,
    isBuilt: true,
    image,
    port,
    env: env ?? own,
    secrets,
    secretsVersion: hashSecrets({ DATABASE_URL: secret }, key),
  }));
  const written = { at: "2026-01-01T00:00:00.000Z", by: "ann@desk", commit: "c".repeat(40), isDirty: false };
  const secrets = Object.fromEntries(application.services.map(({ name }) => [name, { DATABASE_URL: secret }]));
  return {
    secrets,
    options,
    progress: quiet(),
    application: project === undefined ? application : { ...application, id: project },
    release: {
      ...written,
      ...(project === undefined ? {} : { project }),
      services,
      secretsKey: key,
      ...(last === undefined ? {} : { migrations: { [application.services[0]?.name ?? ""]: { last, breaks } } }),
    },
  };
}

export const quickly: Options = {
  isWaiting: false,
  healthMs: 300,
  watchMs: 15,
  interrupted: new AbortController().signal,
};

/** Collects all output of a publisher. */
export function quiet(shown: string[] = []): Progress {
  return {
    step: (_name, title, work) => {
      shown.push(title);
      return work((text) => shown.push(text));
    },
    note: (text) => void shown.push(text),
    event: (event, details) => void shown.push(JSON.stringify({ event, ...details })),
  };
}
