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

/** The app as the server calls it, from the sources or from a bundle of both files. The framework is connected before the app is loaded. */
export async function createListener(parts: Parts, bundle?: string): Promise<AppListener> {
  const bundled = bundle && (await loadBundle(bundle));
  const { toListener } = bundled || (await load<Program>(connectFile()));
  const { createApp } = bundled || (await load<Program>(appFile));
  return toListener(await createApp(parts), parts);
}

/** What a bundle exports: a promise of that, if it waits while it is loaded. */
async function loadBundle(path: string): Promise<Program> {
  const bundle = await load<Program & { default?: unknown }>(path);
  return bundle.default instanceof Promise ? bundle.default : bundle;
}
