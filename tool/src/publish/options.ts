import { Fault } from "../fault.ts";
import type { Scale } from "./release.ts";
import type { OptionInput } from "./request.ts";
import type { Options } from "./target.ts";

export function readOptions(input: OptionInput, interrupted: AbortSignal): Options {
  const { port, domain, replicas, autoscale } = input;
  if (port !== undefined && domain !== undefined)
    throw new Fault("usage", "With --domain the ports are 80 and 443. Leave --port out.");
  if (domain !== undefined && !/^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(domain))
    throw new Fault("usage", `"${domain}" is not a domain name. Use one like api.example.com.`);
  return {
    ...(port === undefined ? {} : { port: readNumber("port", port, 1, 65_535) }),
    ...(domain === undefined ? {} : { domain }),
    ...(replicas === undefined ? {} : { replicas: readNumber("replicas", replicas, 1, 1000) }),
    ...(autoscale === undefined ? {} : { autoscale: readScale(autoscale, input) }),
    isWaiting: input.wait ?? false,
    isTakingOver: input["take-over"] ?? false,
    healthMs: readNumber("health-seconds", input["health-seconds"] ?? "60", 1, 3600) * 1000,
    watchMs: readNumber("watch-seconds", input["watch-seconds"] ?? "10", 0, 3600) * 1000,
    interrupted,
  };
}

function readScale(text: string, { replicas }: OptionInput): Scale {
  if (replicas !== undefined) throw new Fault("usage", "Use either --replicas or --autoscale.");
  const [, min = "", max = ""] = /^(\d+)\.\.(\d+)$/.exec(text) ?? [];
  const scale = { min: readNumber("autoscale", min, 1, 1000), max: readNumber("autoscale", max, 1, 1000) };
  if (scale.min < scale.max) return scale;
  throw new Fault("usage", "--autoscale is a smaller and a larger number, like 2..10.");
}

export function readNumber(flag: string, text: string, min: number, max: number): number {
  if (/^\d{1,9}$/.test(text) && Number(text) >= min && Number(text) <= max) return Number(text);
  throw new Fault("usage", `--${flag} must be a whole number from ${min} to ${max}.`);
}
