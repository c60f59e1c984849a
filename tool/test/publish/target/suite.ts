import { describe } from "node:test";
import { failingTests } from "./failing.ts";
import { interruptedTests } from "./interrupted.ts";
import { leaseTests } from "./lease.ts";
import { migratingTests } from "./migrating.ts";
import { projectTests } from "./project.ts";
import { releasingTests } from "./releasing.ts";
import { rollbackTests } from "./rollback.ts";
import { Suite } from "./scene.ts";
import { secretTests } from "./secret.ts";
import type { Cannot, World } from "./world.ts";

/**
 * What every target must do. Faults are made by configuration, so that the suite runs on real targets too. Those mostly
 * wait, so several worlds run at the same time.
 */
export function targetSuite(
  name: string,
  newWorld: () => Promise<World>,
  cannot: Cannot = {},
  { concurrency = 1 } = {},
): void {
  describe(`${name}, as every target,`, { concurrency }, () => {
    const suite = new Suite(newWorld, cannot);
    const all = [
      releasingTests,
      failingTests,
      rollbackTests,
      leaseTests,
      secretTests,
      migratingTests,
      interruptedTests,
      projectTests,
    ];
    for (const tests of all) tests(suite);
  });
}
