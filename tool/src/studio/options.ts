import { listOptions } from "../new/options.ts";
import type { Options } from "./api.ts";
import { describeTargetField, listSharedFields } from "./publish-form.ts";

/** What can be asked for, with a form for each target. */
export async function readOptions(): Promise<Options> {
  const { targets, ...rest } = await listOptions();
  return {
    ...rest,
    targets: targets.map(({ options, required, ...target }) => ({
      ...target,
      fields: options.map((name) => describeTargetField(name, required.includes(name))),
    })),
    publish: listSharedFields(),
  };
}
