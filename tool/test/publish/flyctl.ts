import { readFileSync } from "node:fs";
import type { Machine } from "../../src/publish/fly/machines.ts";
import type { Answer, Scripted } from "./stand-in.ts";

/** An app with its machines. Images in `broken` are put up, fail their checks and are taken down; in `stuck` they stay up. */
export interface FakeApp extends Scripted {
  machines: Machine[];
  secrets: Record<string, string>;
  broken: string[];
  stuck: string[];
}

export const emptyApp = (rest: Partial<FakeApp> = {}): FakeApp => ({
  ...{ machines: [], secrets: {}, broken: [], stuck: [] },
  ...rest,
});

export function answer(args: string[], stdin: string, app: FakeApp): Answer {
  const command = args.slice(0, 2).join(" ");
  if (command === "machine list") return { stdout: JSON.stringify(app.machines) };
  if (command === "secrets list")
    return { stdout: JSON.stringify(Object.entries(app.secrets).map(([name, digest]) => ({ name, digest }))) };
  if (command === "secrets import") {
    for (const [, name = ""] of stdin.matchAll(/^([A-Z_]+)=/gm)) app.secrets[name] = `digest-of-${stdin.length}`;
    return { stdout: "Secrets have been staged" };
  }
  if (command === "machine destroy") {
    app.machines = app.machines.filter(({ id }) => id !== args[2]);
    return {};
  }
  if (args[0] === "logs") return { stdout: "DATABASE_URL cannot be reached" };
  return args[0] === "deploy" ? deployed(args, app) : { code: 1, stderr: `unknown command ${command}` };
}

function deployed(args: string[], app: FakeApp): Answer {
  const after = (flag: string) => args[args.indexOf(flag) + 1] ?? "";
  const image = after("--image");
  if (app.broken.includes(image)) return { code: 1, stderr: "Error: could not get all green machines to be healthy" };
  const line = /^DORY_RELEASES = (.*)$/m.exec(readFileSync(after("--config"), "utf8"))?.[1] ?? '""';
  const isStuck = app.stuck.includes(image);
  app.machines = [
    {
      ...{ id: `m${args.length}${image.slice(-4)}`, state: "started", region: "fra" },
      image_ref: { digest: image.split("@")[1] ?? "" },
      config: { image, env: { DORY_RELEASES: JSON.parse(line) } },
      checks: [{ name: "http", status: isStuck ? "critical" : "passing", output: isStuck ? "503" : "200" }],
    },
  ];
  return { stdout: "deployed" };
}
