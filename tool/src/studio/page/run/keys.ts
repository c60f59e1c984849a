import type { BackendKey, BackendState } from "../../api.ts";

export const isActive = (backend: BackendState | undefined) =>
  backend?.state === "running" || backend?.state === "preparing";

/** The backends that are chosen, and all others that run: they must be seen to be stopped. */
export function listShown(chosen: BackendKey[], backends: BackendState[]): BackendKey[] {
  const others = backends.filter((backend) => isActive(backend) && !chosen.includes(backend.key));
  return [...chosen, ...others.map(({ key }) => key)];
}

/** What runs beside the chosen framework, for an address that does not say so. */
export function findBeside(backends: BackendState[]): string | undefined {
  return backends.find((backend) => backend.key === "other" && isActive(backend))?.framework;
}
