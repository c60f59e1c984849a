import { join } from "node:path";
import * as z from "zod";
import { toCommand } from "../../new/command.ts";
import { listPaths, makeProject, prepareProject } from "../../new/make.ts";
import { quote } from "../../new/programs.ts";
import { readInput, requestSchema } from "../schemas.ts";
import { createReporter, defineTool } from "../tool.ts";

export const createTool = defineTool({
  name: "dory_create",
  title: "Make a project",
  description:
    "Writes a new project into a folder that does not exist or is empty, and makes a git repository with a first commit. Packages are not installed unless install is true: run the commands in next instead.",
  input: requestSchema.extend({
    folder: z
      .string()
      .describe("The folder to make it in, below the one that the server was started in. Default: its name")
      .optional(),
    install: z.boolean().default(false).describe("Run npm install, which may take a minute"),
    git: z.boolean().default(true).describe("Make a git repository"),
  }),
  output: z.object({
    folder: z.string(),
    command: z.string().describe("The command that makes the same project"),
    count: z.int().describe("How many files it has"),
    notes: z.array(z.string()),
    next: z.array(z.string()).describe("Commands that install, test and start it"),
  }),
  isReadOnly: false,
  async run({ folder: asked, install, git, ...rest }, call) {
    const input = readInput(rest);
    const folder = call.session.resolveFolder(asked ?? input.name ?? "");
    const project = prepareProject({ ...input, folder });
    const { lines, ...reporter } = createReporter(call);
    await call.session.inTurn(folder, () => makeProject(project, { install, git }, reporter));
    const within = `cd ${quote(folder)} && `;
    const next = [...(install ? [] : ["npm install"]), "npm test", "npm start"].map((command) => within + command);
    const command = toCommand({ ...input, ...(asked === undefined ? {} : { folder: join(asked) }) });
    return { folder, command, count: listPaths(project).length, notes: lines.slice(1), next };
  },
});
