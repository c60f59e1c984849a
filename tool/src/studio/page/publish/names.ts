import { options, publishForm, studio } from "../state.ts";

/** The names of the controls that a fault can stand at. */
export function listNames(): string[] {
  const target = options.targets.find(({ name }) => name === publishForm.value.target);
  const fields = [...(target?.fields ?? []), ...options.publish].map(({ name }) => name);
  return ["to", ...fields, ...(studio.value.project?.secrets ?? [])];
}
