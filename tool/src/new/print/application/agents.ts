import type { ApplicationRequest } from "../../services.ts";

/** The text of the application's `AGENTS.md`: what a coding assistant must know; each service has its own. */
export function printApplicationAgents({ services }: ApplicationRequest): string {
  const folders = services.map(({ name }) => `\`${name}/\``).join(", ");
  return `# For coding assistants

An application of several services: ${folders}. Each is a separate project, with an \`AGENTS.md\`: read that before you change it.

Commands, here for all services: \`npm install\`, \`npm start\`, \`npm run dev\`, \`npm test\`, \`npm run check\`, \`npm run format\`; with a service's name for one,
as in \`npm test ${services[0]?.name}\`. A change is done when \`npm run check\` and \`npm test\` pass.

## Rules

- Services share no code, no tables and no packages: one uses another over HTTP, at an address from its environment.
- \`dory.json\` is the list of services, with the variables of each, and the names of its secrets. After a change there run \`npx dory compose\`, which makes
  \`compose.yaml\`. Services are added and removed by \`npx dory add service\` and \`npx dory remove service\`.
- Values of secrets are in \`.env\`, which is never committed.
- \`scripts/\` runs the services. Leave it alone.
`;
}
