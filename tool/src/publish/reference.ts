import { Fault } from "../fault.ts";

// The grammar of https://github.com/distribution/reference.
const label = "[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?";
const host = `(?:${label}(?:\\.${label})*|\\[[0-9a-fA-F:]+\\])(?::\\d+)?`;
const part = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*";
const image = new RegExp(`^(?:${host}/)?${part}(?:/${part})*(?::\\w[\\w.-]{0,127})?(?:@sha256:[0-9a-f]{64})?$`);
const registry = new RegExp(`^${host}(?:/${part})*/?$`);

/** Whether a text names an image, and is nothing that a program would take for a flag. */
export const isImageReference = (text: string) => text.length <= 512 && image.test(text);

export function checkRegistry(text: string): void {
  if (registry.test(text)) return;
  throw new Fault(
    "registry",
    `${JSON.stringify(text)} is no registry: give its host without https://, and where to put images, like registry.example.com/team.`,
  );
}
