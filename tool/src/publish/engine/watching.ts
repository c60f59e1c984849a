import { setTimeout as sleep } from "node:timers/promises";
import { Fault } from "../../fault.ts";
import type { Application } from "../application.ts";
import type { Options } from "../target.ts";
import { findContainer, waitForHealth, whyNot } from "./container.ts";
import { askProxy, urlOf } from "./proxy.ts";
import type { EngineRelease } from "./state.ts";

/** What is asked for to see whether it serves: our own backends tell it, of others any page will do. */
export const healthPath = ({ services }: Application) => (services[0]?.request ? "/health" : "/");

export async function waitUntilHealthy(
  { services }: EngineRelease,
  deadlineMs: number,
  update: (text: string) => void,
  stopIfInterrupted: () => void,
): Promise<void> {
  const told = (text: string) => {
    stopIfInterrupted();
    update(text);
  };
  await Promise.all(services.map(({ container }) => waitForHealth(container, deadlineMs, told)));
}

/** Asks from outside until the new release answers. */
export async function seen({ address, slot }: EngineRelease, path: string): Promise<void> {
  let told = "nothing";
  for (const deadline = Date.now() + 20_000; Date.now() < deadline; await sleep(100)) {
    const answer = await ask(address, path);
    if (answer.slot === slot && answer.status > 0 && answer.status < 500) return;
    told = `${answer.status || ""} ${answer.body.slice(0, 200)}`.trim();
  }
  throw new Fault("not_seen", `From outside, the new release was not seen at ${await urlOf(address)}: ${told}.`);
}

/** Looks after the new release for a while; the old one is still there to go back to. */
export async function watch(release: EngineRelease, path: string, { watchMs, interrupted }: Options): Promise<void> {
  for (const end = Date.now() + watchMs; Date.now() < end && !interrupted.aborted; await sleep(300)) {
    for (const { container } of release.services) {
      const found = await findContainer(container);
      if (!found?.State.Running || found.RestartCount > 0)
        throw new Fault("crashed", await whyNot(container, "it crashed after the switch"));
    }
    const { status, body } = await ask(release.address, path);
    if (status === 0 || status >= 500)
      throw new Fault(
        "unhealthy",
        await whyNot(release.services[0]?.container ?? "", `${status || ""} ${body}`.trim()),
      );
  }
}

async function ask(address: EngineRelease["address"], path: string) {
  return askProxy(address, path).catch((error: Error) => ({ status: 0, slot: "", body: error.message }));
}
