/** The part of the README that shows how to add a feature. */
export const featureGuide = `## Adding a feature

A feature sees each request before the framework does, also one that has no route or is refused. It may also read settings, add
tables, or work in the background. It is an object with some of the hooks of \`Feature\` in \`src/core/start.ts\`.
This one sets a header on every answer and, with \`CLOSED=yes\`, refuses everything but health checks. In \`src/closing.ts\`:

\`\`\`ts
import { oneOf } from "./core/environment.ts";
import { unavailable } from "./core/problem.ts";
import type { Feature } from "./core/start.ts";

declare module "./core/start.ts" {
  interface Settings {
    closed: "yes" | "no";
  }
}

export const closing: Feature = {
  readSettings: (read) => ({ closed: read("CLOSED", "no", oneOf(["yes", "no"])) }),
  createGuard: (_app, { config }) => (req, headers) => {
    headers["x-shop"] = "boats";
    if (config.closed === "yes" && req.url !== "/health") throw unavailable();
  },
};
\`\`\`

Import it in \`src/features.ts\`, and add it to the list:

\`\`\`ts
  // Yours follow here.
  closing,
\`\`\`

What \`createGuard\` returns may also return an answer, which is sent without a handler: \`{ status, headers, body }\`.

`;
