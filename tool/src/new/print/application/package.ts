import { printJson } from "../../../../../backend/kit/openapi/json.ts";
import type { ApplicationRequest } from "../../services.ts";
import { enginesFor } from "../package.ts";

/** The text of the application's `package.json`: scripts for all services. */
export function printApplicationPackage({ name, services, node }: ApplicationRequest): string {
  const hasWebhooks = services.some(({ features }) => features.includes("webhooks"));
  const scripts = ["start", "dev", "test", "check", "format", ...(hasWebhooks ? ["webhooks"] : [])];
  return printJson({
    name,
    version: "0.1.0",
    private: true,
    type: "module",
    ...enginesFor(node),
    scripts: Object.fromEntries(
      [["postinstall", "install"], ...scripts.map((script) => [script, script])].map(([name, script]) => [
        name,
        `node scripts/run.js ${script}`,
      ]),
    ),
  });
}
