import { Fault } from "../fault.ts";
import type { Application } from "./application.ts";

/** A tag may name another image tomorrow: what is taken as it is must be named by its digest. */
export function refuseUnpinned({ services }: Application): void {
  for (const { name, image } of services)
    if (image !== undefined && !/@sha256:[0-9a-f]{64}$/.test(image))
      throw new Fault(
        "image_not_pinned",
        `The image of ${name} is ${image}. Name it by its digest there (NAME@sha256:…); docker pull tells it.`,
      );
}
