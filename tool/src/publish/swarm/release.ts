import type { Release, ReleasedService } from "../release.ts";
import type { Specification } from "./specification.ts";

/** A release in a swarm, with the specifications to deploy it again. */
export interface SwarmRelease extends Release {
  port: number;
  replicas: number;
  services: SwarmService[];
}

export type SwarmService = ReleasedService & { specification: Specification };
