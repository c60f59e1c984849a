import type { Release, ReleasedService } from "../release.ts";
import { retire } from "../release.ts";

/** A release with the digests that Fly shows instead of the values of secrets. */
export interface FlyRelease extends Release {
  secretDigests: Record<string, string>;
}

/** The variable of each machine that stores the history, since Fly does not keep it. */
export const historyVariable = "DORY_RELEASES";

/** The text of `fly.toml` for the last of these releases. */
export function printFlyToml(app: string, releases: FlyRelease[]): string {
  const service = releases.at(-1)?.services[0];
  const { port = 3000, isBuilt = true } = service ?? {};
  const variables = {
    ...(service && readVariables(service)),
    [historyVariable]: JSON.stringify(retire(releases)),
  };
  return `app = ${quote(app)}
kill_signal = "SIGTERM"
kill_timeout = "30s"

[deploy]
strategy = "bluegreen"

[env]
${Object.entries(variables)
  .map(([name, value]) => `${name} = ${quote(value)}`)
  .join("\n")}

[http_service]
internal_port = ${port}
force_https = true
auto_stop_machines = "off"
auto_start_machines = true
min_machines_running = 1

[[http_service.checks]]
method = "GET"
path = ${quote(isBuilt ? "/health" : "/")}
interval = "10s"
timeout = "3s"
grace_period = "5s"
`;
}

/** The variables of a machine, without secrets. */
export function readVariables({ isBuilt, port, env }: ReleasedService): Record<string, string> {
  return { ...(isBuilt ? { PORT: String(port) } : {}), ...env };
}

/** A TOML string is a JSON string, except for one character. */
const quote = (value: string) => JSON.stringify(value).replaceAll("\u007f", "\\u007f");
