import { databaseDescriptions, frameworkDescriptions } from "../../descriptions.ts";
import type { Request } from "../../request.ts";
import { type ApplicationRequest, databaseService, hasDatabase } from "../../services.ts";
import { printTable } from "../table.ts";
import { printApplicationEnvExample } from "./env.ts";

/** The text of the application's README; each service has its own. */
export function printApplicationReadme(request: ApplicationRequest): string {
  const { name, services, node } = request;
  const [first, another = first] = services as [Request, Request?];
  const hasEnv = printApplicationEnvExample(request) !== "";
  return `# ${name}

An application of several services. Each is a separate project in its folder: its README explains it.

## Services

${printTable(listServiceRows(request))}

\`\`\`sh
npm install              # installs the packages of every service
npm start                # all of them: http://localhost:3000 is ${first.name}, the others have the next ports
npm start ${another.name.padEnd(14)} # only some of them
npm run dev              # the same, with a restart at every change
npm test                 # the tests of one service after the other; npm test ${first.name}
npm run check            # format, lint and types of all
\`\`\`

${node === "pinned" ? "Node 20 or later is enough: each service includes its own Node 26." : "The services need Node 26."}

## Configuration

\`dory.json\` lists the services, with their variables in \`env\` and the names of their secrets in \`secrets\`. ${
    hasEnv
      ? `The values of secrets
are in \`.env\`, which is for this machine and never committed: [.env.example](.env.example) lists them. Services that name the same secret share its value.`
      : "The values of secrets\nare in `.env`, which is never committed."
  } After a change to
\`dory.json\` run \`npx dory compose\`.

Each service keeps its own data. ${describeData(request)}

## Services that use each other

In containers a service reaches another by its name. Set the address in \`dory.json\`, and read the variable in \`src/config.ts\`; \`npm start\` replaces
it with an address on this machine:

\`\`\`json
"env": { "${urlVariable(another)}": "http://${another.name}:3000" }
\`\`\`

## Containers

\`\`\`sh
docker compose up --build${hasEnv ? "          " : ""}   # http://localhost:3000 is ${first.name}; only services can reach the others
npx dory publish${hasEnv ? " --env-file .env" : ""}            # one release of all services, on http://localhost:8080
\`\`\`

## Later

\`\`\`sh
npx dory add service web=hono          # another service
npx dory add auth --service ${first.name.padEnd(10)} # or in its folder: npx dory add auth
npx dory remove service ${another.name}
\`\`\`
`;
}

function listServiceRows(request: ApplicationRequest): string[][] {
  const rows = request.services.map(({ name, framework, database }) => [
    `[${name}](${name}/README.md)`,
    `a JSON API in ${frameworkDescriptions[framework].title}, on ${databaseDescriptions[database].title}`,
    `\`http://${name}:3000\``,
  ]);
  const database = [databaseService, "PostgreSQL, for containers", `\`${databaseService}:5432\``];
  return [["Service", "", "In containers"], ...rows, ...(hasDatabase(request) ? [database] : [])];
}

function describeData(request: ApplicationRequest): string {
  const isSqlite = request.services.some(({ database }) => database !== "postgres");
  const sqlite = "SQLite files are in `data`, in the service's folder.";
  const postgres = `In PostgreSQL each has a schema of its name in one database. \`npm start\` starts its own
PostgreSQL, with its data in \`data/postgres\`, unless \`DATABASE_URL\` is set in its environment.`;
  return [...(isSqlite ? [sqlite] : []), ...(hasDatabase(request) ? [postgres] : [])].join(" ");
}

const urlVariable = ({ name }: Request) => `${name.replaceAll("-", "_").toUpperCase()}_URL`;
