import * as z from "zod";
import { createWatcher, defineTool } from "../tool.ts";

/** What a publish and a rollback need, and return. */
const input = z.strictObject({ id: z.string().describe("The id that dory_plan returned") });
const output = z.object({
  release: z.string(),
  url: z.string(),
  restores: z.string().describe("The release that was restored").optional(),
  isUnchanged: z.boolean().describe("Whether the same release was live already, so that nothing was done"),
  notes: z.array(z.string()),
});

export const publishTool = defineTool({
  name: "dory_publish",
  title: "Publish what was planned",
  description:
    "Builds, tests and releases exactly what dory_plan showed. The new release starts next to the live one and is reverted if it is not healthy. If the plan is void, nothing is done: plan again. It takes a minute or more; cancelling it reverts.",
  input,
  output,
  isReadOnly: false,
  isDestructive: true,
  isOpen: true,
  async run({ id }, call) {
    const { plans, readGiven } = call.session;
    const { notes, ...watcher } = createWatcher(call);
    const { folder } = plans.read(id, "publish");
    const { release, url, isUnchanged = false } = await plans.publish(id, readGiven(folder), watcher);
    return { release: release.id, url, isUnchanged, notes };
  },
});

export const rollbackTool = defineTool({
  name: "dory_rollback",
  title: "Roll back as planned",
  description:
    "Makes the earlier release live again that dory_plan with action rollback named: its image, configuration and secrets. If the plan is void, nothing is done: plan again.",
  input,
  output,
  isReadOnly: false,
  isDestructive: true,
  isOpen: true,
  async run({ id }, call) {
    const { notes, ...watcher } = createWatcher(call);
    const { release, url, isUnchanged = false } = await call.session.plans.rollBack(id, watcher);
    const restores = release.restores === undefined ? {} : { restores: release.restores };
    return { release: release.id, url, ...restores, isUnchanged, notes };
  },
});
