import { readRequest } from "../../../src/new/request.ts";
import type { Application } from "../../../src/publish/application.ts";
import type { Progress } from "../../../src/publish/progress.ts";
import { versionOf } from "../../../src/publish/secrets.ts";
import type { Attempt, Driver, Options } from "../../../src/publish/target.ts";

/** One application at one target, new for each test. */
export interface World {
  application: Application;
  /** Opens it as a publisher does, at a pace that suits tests. */
  open(): Promise<Driver>;
  attempt(asked: Asked): Attempt;
  /** A value of DATABASE_URL with which it becomes healthy; each has `planted` in it. */
  secret(number: number): string;
  /** One with which it starts and never becomes ready. */
  unreadySecret: string;
  /** Ends the lease of a publisher that gives no sign of life, without the wait. */
  expireLease(): Promise<void>;
  /** Crashes what serves, and nothing else; the platform may start it again. */
  crash?(): Promise<void>;
  /** What is at the target that no release needs which is kept, by name; its records are no such thing. */
  leftovers(): Promise<string[]>;
  /** All that others can see of what was passed: command lines, environments, what is stored in the open. */
  seen?(): string;
  end?(): Promise<void>;
}

export interface Asked {
  env?: Record<string, string>;
  secret?: string;
  image?: string;
}

/** What a target or a world of it cannot do, each with the reason. */
export interface Cannot {
  /** Keep two publishers apart by a lease of ours. */
  lease?: string;
  /** Bring back an earlier value of a secret. */
  oldSecrets?: string;
  /** Record a rollback as a release of its own. */
  ownRollback?: string;
  /** Remember releases that failed. */
  failures?: string;
  /** Be made to crash while it serves. */
  crash?: string;
  /** Go through many releases in a test. */
  many?: string;
}

/** In every value of a secret, so that a leak is found. */
export const planted = "s3cret-planted-here";
/** A value that our backends refuse, so that they end at startup. */
export const crashing = { LOG_LEVEL: "loud" };
/** What they say then. */
export const crashLine = "LOG_LEVEL must be one of";

/** An application of one service, or of several, with one secret; it has the name of the first. */
export function shop(...names: string[]): Application {
  const [first = "shop", ...others] = names;
  const request = readRequest({ name: first, framework: "hono", database: "postgres" });
  const services = [first, ...others].map((name) => ({
    ...{ name, folder: "/nowhere", port: 3000, env: { LOG_LEVEL: "warn" }, secrets: ["DATABASE_URL"], request },
  }));
  return { name: first, folder: "/nowhere", services };
}

export const digest = (letter: string) => `registry.example.com/shop@sha256:${letter.repeat(64)}`;

export const postgresSecret = (number: number) => `postgres://shop:${planted}-${number}@db/shop`;
/** The stand-ins know this host as one that does not answer. */
export const unanswered = `postgres://shop:${planted}@unanswered/shop`;

/** For real targets: data in files that go with what runs, and a server that nobody reaches. */
export const fileSecret = (number: number) => `file:/tmp/${planted}-${number}.db`;
export const unreachable = `postgres://shop:${planted}@192.0.2.1/shop`;

const key = "k".repeat(64);

/** A try to release all services of an application alike. */
export function attemptFor(application: Application, options: Options, asked: Asked): Attempt {
  const { secret = postgresSecret(1), image = digest("a"), env } = asked;
  const services = application.services.map(({ name, port, env: own, secrets }) => ({
    ...{ name, isBuilt: true, image, port, env: env ?? own, secrets },
    secretsVersion: versionOf({ DATABASE_URL: secret }, key),
  }));
  const written = { at: "2026-01-01T00:00:00.000Z", by: "ann@desk", commit: "c".repeat(40), isDirty: false };
  const secrets = Object.fromEntries(application.services.map(({ name }) => [name, { DATABASE_URL: secret }]));
  return {
    ...{ application, secrets, options, progress: quiet() },
    release: { ...written, services, secretsKey: key },
  };
}

export const quickly: Options = {
  ...{ isWaiting: false, healthMs: 300, watchMs: 15 },
  interrupted: new AbortController().signal,
};

/** Collects all that a publisher is shown. */
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
