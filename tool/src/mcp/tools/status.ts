import * as z from "zod";
import { openWork, readHistory, readStatus } from "../../publish/actions.ts";
import type { Instance } from "../../publish/snapshot.ts";
import { folderSchema, targetSchema } from "../schemas.ts";
import { createWatcher, defineTool } from "../tool.ts";

const service = z.object({
  name: z.string(),
  ready: z.int().describe("How many instances are ready"),
  wanted: z.int(),
  problem: z.string().optional(),
  instances: z.array(z.string()).describe("The state of each that is not ready"),
});

const release = z.object({
  id: z.string(),
  status: z.string(),
  at: z.string(),
  commit: z.string().nullable(),
  reason: z.string().describe("Why it is not live, if it failed").optional(),
});

export const statusTool = defineTool({
  name: "dory_status",
  title: "What is published",
  description: "Shows what runs at a target: the live release, its URL, what is ready, and the releases before it.",
  input: z.strictObject({ folder: folderSchema, target: targetSchema }),
  output: z.object({
    application: z.string(),
    live: z.object({ release: z.string(), url: z.string(), at: z.string(), services: z.array(service) }).nullable(),
    releases: z.array(release).describe("The newest first"),
  }),
  isReadOnly: true,
  isIdempotent: true,
  isOpen: true,
  async run({ folder, target }, call) {
    const work = await openWork({ folder: call.session.resolveFolder(folder), to: target }, createWatcher(call));
    const releases = await readHistory(work.driver, work.application);
    const { live } = await readStatus(work);
    return {
      application: work.application.name,
      live: live
        ? {
            release: live.release.id,
            url: live.url,
            at: live.release.at,
            services: live.services.map(({ name, wanted, problem }) => {
              const own = live.instances.filter((instance) => instance.service === name);
              const ready = own.filter(({ isReady, isCurrent }) => isReady && isCurrent).length;
              const instances = own.filter(({ isReady }) => !isReady).map(describeInstance);
              return { name, ready, wanted, ...(problem === undefined ? {} : { problem }), instances };
            }),
          }
        : null,
      releases: releases.toReversed().map(({ id, status, at, commit, reason }) => ({
        id,
        status,
        at,
        commit,
        ...(reason === undefined ? {} : { reason: reason.slice(0, 300) }),
      })),
    };
  },
});

const describeInstance = ({ id, state, restarts }: Instance) =>
  `${id}: ${state}${restarts > 0 ? `, restarted ${restarts} times` : ""}`;
