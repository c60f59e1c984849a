import * as z from "zod";
import { loadBackend } from "../../backend.ts";
import { Fault, listChoices } from "../../fault.ts";
import { filesFor } from "../../new/application.ts";
import { toCommand } from "../../new/command.ts";
import { ownNode } from "../../new/own-node.ts";
import { readAnyRequest } from "../../new/services.ts";
import { hashFiles } from "../../new/trailer.ts";
import { readInput, requestSchema } from "../schemas.ts";
import { defineTool } from "../tool.ts";

export const previewTool = defineTool({
  name: "dory_preview",
  title: "Look at a project before it is made",
  description:
    "Makes a project in memory and lists its files; with file, returns the text of that one instead. Nothing is written. Use it to check a request, and to compare frameworks.",
  input: requestSchema.extend({
    file: z.string().describe("The path of one file in the list, to get its text").optional(),
  }),
  output: z.object({
    command: z.string().describe("The command that makes the same project"),
    digest: z.string().describe("The SHA-256 of all files"),
    files: z.array(z.string()).describe("The paths of all files, if no file was asked for").optional(),
    text: z.string().describe("The text of the file that was asked for").optional(),
  }),
  isReadOnly: true,
  isIdempotent: true,
  async run({ file, ...asked }) {
    const input = readInput(asked);
    const files = filesFor(readAnyRequest({ node: ownNode, ...input }), loadBackend());
    const paths = [...files.keys()].sort();
    const text = file === undefined ? undefined : files.get(file);
    if (file !== undefined && text === undefined) throw new Fault("file", listChoices("file", file, paths));
    const found = text === undefined ? { files: paths } : { text };
    return { command: toCommand(input), digest: hashFiles(files), ...found };
  },
});
