import type { Feature } from "../../feature.ts";
import { acceptMergePatch } from "./merge-patch.ts";

/** Single items can be read, changed and deleted. */
export const itemRoutes: Feature = {
  requestHeaders: ["If-Match", "If-None-Match"],
  responseHeaders: ["ETag", "Location"],
  createGuard: () => acceptMergePatch,
};
