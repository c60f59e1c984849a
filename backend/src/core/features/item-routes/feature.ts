import type { Feature } from "../../start.ts";
import { acceptMergePatch } from "./merge-patch.ts";
import { postgres } from "./store/postgres.ts";
import { sqlite } from "./store/sqlite.ts";

/** Single items can be read, changed and deleted. */
export const itemRoutes: Feature = {
  requestHeaders: ["If-Match", "If-None-Match"],
  responseHeaders: ["ETag", "Location"],
  createGuard: () => acceptMergePatch,
  sqlite,
  postgres,
};
