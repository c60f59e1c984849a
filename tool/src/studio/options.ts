import { listOptions, type PublishOption } from "../new/options.ts";
import { publishUsage } from "../usage/publish.ts";
import type { Options, TargetField } from "./api.ts";

/** What can be asked for, with a form for each target. */
export async function readOptions(): Promise<Options> {
  const { targets, ...rest } = await listOptions();
  return {
    ...rest,
    targets: targets.map(({ options, required, ...target }) => ({
      ...target,
      fields: options.map((name) => describeField(name, required.includes(name))),
    })),
  };
}

/** In the words of the flag. */
function describeField(name: PublishOption, isRequired: boolean): TargetField {
  const { value, help } = publishUsage.flags[name];
  const sentence = `${help.charAt(0).toUpperCase()}${help.slice(1)}.`;
  return { name, title: name.charAt(0).toUpperCase() + name.slice(1), sentence, isRequired, placeholder: value };
}
