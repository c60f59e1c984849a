import { createProgram } from "../program.ts";

export const flyctl = createProgram(
  "flyctl",
  "The flyctl command is not installed. Install it (https://fly.io/docs/flyctl/install) and try again.",
  [
    [
      /no access token available|not logged in|token validation|not authorized|unauthorized/i,
      "fly_login",
      "You are not logged in to Fly. Run flyctl auth login, or set FLY_API_TOKEN, and try again.",
    ],
    [
      /could not find app|app not found/i,
      "no_app",
      "Fly has no such app. Make it once with flyctl apps create NAME, where NAME is the project's name or FLY_APP.",
    ],
    [
      /lease (is )?currently held|failed to (get|acquire|obtain) lease/i,
      "lease_held",
      "Another publisher is changing the app's machines. Try again when it is done.",
    ],
    [
      /could not (find|pull|resolve) image|manifest unknown|failed to get manifest|image .* not found/i,
      "image_not_found",
      "Fly cannot fetch the image. Push it to Fly's own registry: flyctl auth docker, then --registry registry.fly.io.",
    ],
    [
      /connection refused|i\/o timeout|no such host|TLS handshake|network is unreachable|context deadline exceeded/i,
      "fly_unreachable",
      "Fly does not answer. Check the connection, then run the same command again.",
    ],
  ],
);

export const listMachines = (app: string) => ["machine", "list", "-a", app, "--json"];
export const listSecrets = (app: string) => ["secrets", "list", "-a", app, "--json"];
export const importSecrets = (app: string) => ["secrets", "import", "--stage", "-a", app];
export const unsetSecrets = (app: string, names: string[]) => ["secrets", "unset", ...names, "--stage", "-a", app];
export const destroyMachine = (app: string, id: string) => ["machine", "destroy", id, "--force", "-a", app];
export const destroyApp = (app: string) => ["apps", "destroy", app, "--yes"];
export const listVolumes = (app: string) => ["volumes", "list", "-a", app, "--json"];
export const readLogs = (app: string) => ["logs", "-a", app, "--no-tail"];

/** The log of one machine. */
export const readMachineLog = (app: string, id: string) => ["logs", "-a", app, "--machine", id, "--no-tail"];

export interface NewRun {
  name: string;
  image: string;
  region?: string | undefined;
  env: Record<string, string>;
  metadata: { name: string; value: string };
}

/** A machine that runs an image once. `flyctl deploy` ignores it, and it stays until it is destroyed, with its exit code. */
export function runMachine(app: string, { name, image, region, env, metadata }: NewRun): string[] {
  const variables = Object.entries(env).flatMap(([name, value]) => ["--env", `${name}=${value}`]);
  const how = ["--restart", "no", "--skip-dns-registration", "--detach"];
  const where = region === undefined ? [] : ["--region", region];
  const mark = ["--metadata", `${metadata.name}=${metadata.value}`];
  return ["machine", "run", image, "-a", app, "--name", name, ...where, ...mark, ...how, ...variables];
}

export function deployImage(app: string, config: string, image: string, seconds: number): string[] {
  const how = ["--ha=false", "--wait-timeout", `${seconds}s`, "-y"];
  return ["deploy", "--config", config, "-a", app, "--image", image, ...how];
}
