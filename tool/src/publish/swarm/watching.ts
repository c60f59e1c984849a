import { setTimeout as sleep } from "node:timers/promises";
import { Fault } from "../../fault.ts";
import { ask } from "./front.ts";
import { checkTasks, isSettled, type Rolling } from "./rolling.ts";
import { specificationOf, type Task, whyNot } from "./service.ts";

/** Asks from outside until a task of the intended specification, and so of the intended digest, answers. */
export async function seen(rolling: Rolling, url: string, path: string): Promise<void> {
  let told = "nothing";
  for (const deadline = Date.now() + 10_000; Date.now() < deadline; await sleep(200)) {
    const tasks = await checkTasks(rolling);
    const { status, upstream, body } = await ask(url, path);
    const task = tasks.find((task) => addressesOf(task).includes(upstream.replace(/:\d+$/, "")));
    if (task && specificationOf(task.Spec) === rolling.intended && status > 0 && status < 500) return;
    told = `${status || ""} ${body} ${task ? "from another release" : ""}`.trim();
  }
  throw new Fault("not_seen", `From outside, the new release was not seen at ${url}: ${told}.`);
}

const addressesOf = ({ NetworksAttachments = [], Status }: Task) =>
  Status.State === "running"
    ? NetworksAttachments.flatMap(({ Addresses = [] }) => Addresses.map((address) => address.replace(/\/.*/, "")))
    : [];

/** Looks after the new release for a while, together with the swarm, which goes back by itself if a task fails. */
export async function watch(
  rollings: Rolling[],
  { url, path }: { url: string; path: string },
  { watchMs, interrupted }: { watchMs: number; interrupted: AbortSignal },
): Promise<void> {
  const end = Date.now() + watchMs;
  const deadline = end + watchMs + 30_000;
  for (; !interrupted.aborted; await sleep(300)) {
    const tasks = [];
    for (const rolling of rollings) tasks.push(...(await checkTasks(rolling)));
    const { status, body } = await ask(url, path);
    const front = rollings.at(-1);
    if (front && (status === 0 || status >= 500))
      throw new Fault(
        "unhealthy",
        `From outside it answers ${status || ""} ${body}\n${await whyNot(
          front.name,
          tasks.find((task) => specificationOf(task.Spec) === front.intended),
        )}`,
      );
    const settled = await Promise.all(rollings.map(isSettled));
    if (Date.now() >= end && (settled.every(Boolean) || Date.now() > deadline)) return;
  }
}
