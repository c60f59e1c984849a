import { fieldExamples } from "./new/field.ts";
import { databases, features, frameworks, nodes } from "./new/request.ts";
import { targetNames } from "./publish/targets.ts";

const anywhere = "npx dory runs it without installing anything; npm create dory NAME -- [options] is npx dory new.";

/** What can be done; each command has a page of its own. */
const overview = `dory: a small JSON API backend in the web framework you choose

  dory new NAME --framework F     make a backend
  dory check URL                  hold a running one against the contract
  dory publish                    build it, try it, and let it serve
  dory rollback [RELEASE]         go back to the release before, or to a named one
  dory releases                   what was published, and what is live
  dory status                     what runs
  dory logs                       what it says
  dory compose                    write compose.yaml, to run several services on this machine

dory COMMAND --help tells more.
${anywhere}
`;

const newPage = `dory new NAME --framework F [options]

  --framework F   ${frameworks.join(", ")}
  --field FIELD   a field of an item; may be repeated (default: name:string(1..200)):
                    ${fieldExamples.slice(0, 4).join("  ")}
                    ${fieldExamples.slice(4).join("  ")}
                  a question mark at the end makes it optional
  --database D    ${databases.join(", ")} (default: both, chosen at run time by DATABASE_URL)
  --with FEATURE  ${features.join(", ")}; may be repeated, or separated by commas (default: none):
                  auth is bearer tokens from API_TOKENS, cors lets in front ends from CORS_ORIGINS
  --node N        ${nodes.join(", ")}: the machine's own Node, or one from npm (default: system if it is 26 or later)
  --yes           take the defaults, ask nothing
  --no-install    do not run npm install
  --no-git        do not make a git repository
  --dry-run       list the files, write nothing
  --start         run the backend when it is made
  --json          print one JSON result; without NAME, read the request as JSON from stdin

${anywhere}
`;

const checkPage = `dory check URL [--openapi FILE] [--json]

  --openapi FILE   the openapi.json that describes the backend (default: items with a name); also --fields-from
  --json           print one JSON result

  Tokens are read from the environment variable API_TOKENS, origins from CORS_ORIGINS.
`;

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
  new: newPage,
  check: checkPage,
  publish: publishPage,
  rollback: laterPage,
  releases: laterPage,
  status: laterPage,
  logs: laterPage,
  compose:
    "dory compose     (in a folder with a dory.json)\n\n  Writes compose.yaml: docker compose up --build runs all services.\n",
};

/** The page of a command, or the overview. */
export function helpFor(command: string | undefined): string {
  return (command !== undefined && Object.hasOwn(pages, command) && pages[command]) || overview;
}
