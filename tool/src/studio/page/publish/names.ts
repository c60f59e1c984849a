import { options, publishForm, studio } from "../state.ts";

/** The names of the controls that a fault can stand at. */
export function listNames(): string[] {
  const target = options.targets.find(({ name }) => name === publishForm.value.target);
  return ["to", ...(target?.fields.map(({ name }) => name) ?? []), ...(studio.value.project?.secrets ?? [])];
}
