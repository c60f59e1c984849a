import { inspect } from "./engine/docker.ts";
import { isImageReference } from "./reference.ts";

/** The image by its digest (`name@sha256:…`), if the engine knows one: a tag may later name another image. */
export async function pinImage(reference: string): Promise<string> {
  if (reference.includes("@") || !isImageReference(reference)) return reference;
  const name = reference.replace(/:[^/:]+$/, "");
  const found = await inspect<{ RepoDigests?: string[] | null }>("image", reference);
  return found?.RepoDigests?.find((digest) => digest.startsWith(`${name}@`)) ?? reference;
}
