import type { Release, ReleasedService } from "../release.ts";
import type { Specification } from "./specification.ts";

/** A release as a swarm keeps it: with what the swarm was told, so that the same can be told again. */
export interface SwarmRelease extends Release {
  port: number;
  replicas: number;
  services: SwarmService[];
}

export type SwarmService = ReleasedService & { specification: Specification };
