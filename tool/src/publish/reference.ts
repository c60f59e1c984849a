import { Fault } from "../fault.ts";

// The grammar of https://github.com/distribution/reference.
const label = "[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?";
const host = `(?:${label}(?:\\.${label})*|\\[[0-9a-fA-F:]+\\])(?::\\d+)?`;
const part = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*";
const image = new RegExp(`^(?:${host}/)?${part}(?:/${part})*(?::\\w[\\w.-]{0,127})?(?:@sha256:[0-9a-f]{64})?$`);
const registry = new RegExp(`^${host}(?:/${part})*/?$`);

/** Whether a text is an image reference, and cannot be read as a flag. */
export const isImageReference = (text: string) => text.length <= 512 && image.test(text);

export function checkRegistry(text: string): void {
  if (registry.test(text)) return;
  throw new Fault(
    "registry",
    `${JSON.stringify(text)} is not a registry: write its host without https://, and a path for images, like registry.example.com/team.`,
  );
}
