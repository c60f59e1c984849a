import type { Lease } from "../engine/lease.ts";
import { lookAtState, readState, writeReleases } from "../engine/state.ts";
import type { Release, ReleasedService } from "../release.ts";
import { recordsName } from "./names.ts";
import type { Specification } from "./specification.ts";

/** A release as a swarm keeps it: with what the swarm was told, so that the same can be told again. */
export interface SwarmRelease extends Release {
  port: number;
  replicas: number;
  services: SwarmService[];
}

export type SwarmService = ReleasedService & { specification: Specification };

export const lookAtReleases = async (application: string) =>
  (await lookAtState<SwarmRelease>(recordsName(application))).releases;

export const readReleases = async (lease: Lease, application: string) =>
  (await readState<SwarmRelease>(lease, recordsName(application))).releases;

export const keepReleases = (lease: Lease, application: string, releases: SwarmRelease[]) =>
  writeReleases(lease, recordsName(application), releases);
