import type { Parts } from "../src/config.ts";
import type { AppListener } from "../src/core/http/server.ts";
import { findFramework, has, load } from "./project.ts";

interface Program {
  createApp(parts: Parts): unknown;
  toListener(app: unknown, parts: Parts): AppListener | Promise<AppListener>;
}

/** Where the framework is connected with the core. The repository has all of them. */
export const connectFile = () =>
  has("src/core/connect.ts") ? "src/core/connect.ts" : `src/core/${findFramework()}/connect.ts`;
export const appFile = "src/app.ts";

/** Loads the modules that use await at their top level, before a bundle. */
export const awaitedFile = "dist/awaited.cjs";

/** The app as the server calls it, from the sources or from a bundle of both files. The framework is connected before the app is loaded. */
export async function createListener(parts: Parts, bundle?: string): Promise<AppListener> {
  if (bundle && has(awaitedFile)) await (await load<{ default: Promise<unknown> }>(awaitedFile)).default;
  const { toListener } = await load<Program>(bundle ?? connectFile());
  const { createApp } = await load<Program>(bundle ?? appFile);
  return toListener(await createApp(parts), parts);
}
