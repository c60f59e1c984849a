import assert from "node:assert/strict";
import { test } from "node:test";
import type { Fault } from "../../../src/fault.ts";
import { deploy } from "../../../src/publish/deploy.ts";
import type { Progress } from "../../../src/publish/progress.ts";
import { findLive } from "../../../src/publish/release.ts";
import type { Work } from "../../../src/publish/rollback.ts";
import { whyNotReachable, whyNotServing } from "../../../src/publish/snapshot.ts";
import type { Attempt, Driver, Published } from "../../../src/publish/target.ts";
import { waitUntilServesAgain } from "../../../src/publish/watch.ts";
import { type Asked, type Cannot, quiet, type World } from "./world.ts";

/** Runs tests, each in a new world. */
export class Suite {
  readonly #newWorld: () => Promise<World>;
  readonly #cannot: Cannot;

  constructor(newWorld: () => Promise<World>, cannot: Cannot) {
    this.#newWorld = newWorld;
    this.#cannot = cannot;
  }

  /** If the world cannot do something in `needs`, the test is skipped with the reason. */
  test(name: string, needs: readonly (keyof Cannot)[], run: (scene: Scene) => Promise<void>): void {
    const skip = needs.map((ability) => this.#cannot[ability]).find((reason) => reason !== undefined) ?? false;
    test(name, { skip }, async () => {
      const world = await this.#newWorld();
      try {
        await run(new Scene(world, await world.open()));
      } finally {
        await world.end?.();
      }
    });
  }
}

/** A publisher in a world. */
export class Scene {
  readonly world: World;
  readonly driver: Driver;

  constructor(world: World, driver: Driver) {
    this.world = world;
    this.driver = driver;
  }

  attempt(asked: Asked = {}, options: Partial<Attempt["options"]> = {}, progress: Progress = quiet()): Attempt {
    const attempt = this.world.attempt({ secret: this.world.secret(1), ...asked });
    return { ...attempt, progress, options: { ...attempt.options, ...options } };
  }

  publish(asked: Asked = {}, options: Partial<Attempt["options"]> = {}): Promise<Published> {
    return deploy(this.driver, this.attempt(asked, options));
  }

  /** The releases, each as its id and status. */
  async releases(): Promise<string[]> {
    return (await this.driver.history()).map(({ id, status }) => `${id} ${status}`);
  }

  /** Checks that exactly this release is live and serves, none is pending, and nothing else is left. */
  async onlyServes(id: string): Promise<void> {
    const releases = await this.driver.history();
    const statuses = releases.filter(({ status }) => status === "live" || status === "pending");
    assert.deepEqual(
      statuses.map((release) => `${release.id} ${release.status}`),
      [`${id} live`],
    );
    const live = findLive(releases);
    assert.ok(live);
    const snapshot = await this.driver.observe(live);
    assert.equal(whyNotServing(snapshot) ?? whyNotReachable(snapshot), undefined, JSON.stringify(snapshot));
    assert.deepEqual(await this.world.leftovers(), []);
  }

  /** The same, after waiting for the platform. */
  async eventuallyServes(id: string): Promise<void> {
    const live = findLive(await this.driver.history());
    assert.equal(live?.id, id);
    if (live) await waitUntilServesAgain(this.driver, live, this.attempt().options);
    await this.onlyServes(id);
  }

  work(options: Partial<Attempt["options"]> = {}, progress: Progress = quiet(), asked: Asked = {}): Work {
    const attempt = this.attempt(asked, options, progress);
    return { driver: this.driver, application: attempt.application, options: attempt.options, progress };
  }
}

/** The fault of work that must fail. */
export async function catchFault(work: Promise<unknown>): Promise<Fault & { outcome?: string }> {
  const error = await work.then(
    () => assert.fail("It did not fail."),
    (error) => error,
  );
  assert.ok("code" in error, String(error?.stack ?? error));
  return error;
}

/** Calls a function when a step begins. */
export function atStep(step: string, act: () => unknown, progress: Progress = quiet()): Progress {
  return {
    ...progress,
    step: async (name, title, work) => {
      if (name === step) await act();
      return progress.step(name, title, work);
    },
  };
}
