import { printUsage, type Usage } from "./flags.ts";
import { targetNames } from "./publish/targets.ts";
import { checkUsage } from "./usage/check.ts";
import { composeUsage } from "./usage/compose.ts";
import { anywhere, newUsage } from "./usage/new.ts";

/** What can be done; each command has a page of its own. */
const overview = `dory: a small JSON API backend in the web framework you choose

${lineOf(newUsage)}
${lineOf(checkUsage)}
  dory publish                    build it, try it, and let it serve
  dory rollback [RELEASE]         go back to the release before, or to a named one
  dory releases                   what was published, and what is live
  dory status                     what runs
  dory logs                       what it says
${lineOf(composeUsage)}

dory COMMAND --help explains a command; dory --version prints the version.
${anywhere}
`;

function lineOf({ command, call, summary }: Usage): string {
  return `  ${`dory ${command} ${call}`.padEnd(32)}${summary}`;
}

const publishPage = `dory publish [options]     (in a folder with a dory.json)

  --to TARGET         ${targetNames.join(", ")} (default: docker, the engine at hand or at DOCKER_HOST)
  --port N            where it is reached (default: as before, else 8080)
  --domain NAME       serve NAME over HTTPS, on ports 80 and 443
  --replicas N        how many run of each service (swarm, kubernetes, cloud-run)
  --autoscale A..B    as many as are needed, within these bounds (kubernetes, cloud-run)
  --registry R        where images are pushed to, like registry.example.com/team
  --env-file FILE     where the values of secrets are, beside the environment; --env-stdin: on stdin
  --plan              tell what would be done, and do nothing
  --wait              wait while another publishes
  --no-smoke          do not try the image before it is released
  --health-seconds N  how long a new release may take to become healthy (default: 60)
  --watch-seconds N   how long it is watched before the old one goes (default: 10)
  --json              print events as JSON lines

  Exit codes: 0 published, 1 failed and nothing changed, 2 went back to the release before, 3 could not go back.
`;

const laterPage = `dory rollback [RELEASE] [--to TARGET] [--wait] [--health-seconds N] [--watch-seconds N] [--json]
dory releases [--to TARGET] [--json]
dory status [--to TARGET] [--json]
dory logs [--to TARGET] [--follow] [--lines N]
`;

const pages: Record<string, string> = {
  new: printUsage(newUsage),
  check: printUsage(checkUsage),
  publish: publishPage,
  rollback: laterPage,
  releases: laterPage,
  status: laterPage,
  logs: laterPage,
  compose: printUsage(composeUsage),
};

/** The page of a command, or the overview. */
export function helpFor(command: string | undefined): string {
  return (command !== undefined && Object.hasOwn(pages, command) && pages[command]) || overview;
}
