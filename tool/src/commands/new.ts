import { resolve } from "node:path";
import { loadBackend } from "../backend.ts";
import { Fault } from "../fault.ts";
import { readFlags } from "../flags.ts";
import { missingFramework, readInputFlags } from "../new/input.ts";
import { listPaths, makeProject, prepareProject } from "../new/make.ts";
import { exportUrl } from "../new/print/readme.ts";
import { npmStart, quote } from "../new/programs.ts";
import { type AnyInput, type AnyRequest, isApplication, readAnyInput, writeAnyRequest } from "../new/services.ts";
import { print, printJson } from "../output.ts";
import { runReported } from "../progress.ts";
import { newUsage } from "../usage/new.ts";

/** Makes a project. */
export async function newCommand(args: string[], load = loadBackend): Promise<number> {
  const { values, positionals } = readFlags(newUsage, args);
  const project = prepareProject(await readInput(values, positionals), load);
  const { request, path } = project;
  const paths = listPaths(project);
  const result = { ok: true, request: writeAnyRequest(request), files: paths };
  if (values["dry-run"]) {
    if (values.json) printJson(result);
    else for (const path of paths) print(path);
    return 0;
  }
  const code = await runReported({ isQuiet: values.json ?? false }, async (reporter) => {
    const folder = await makeProject(project, values, reporter);
    if (values.json) printJson({ ...result, folder });
    const go = resolve(path) === process.cwd() ? "" : `  cd ${quote(path)}\n`;
    const url = needsUrl(request) ? `  ${exportUrl}     # your server's\n` : "";
    reporter.say(
      `\nNext:\n${go}${url}  ${values.install ? "" : "npm install && "}npm start\n  npm test\nLater, dory add --help: ${isApplication(request) ? "services, " : ""}fields, features and webhooks.`,
    );
    return 0;
  });
  return code === 0 && values.start ? npmStart(resolve(path)) : code;
}

/** Whether `npm start` fails without the address of a database. */
const needsUrl = (request: AnyRequest) => !isApplication(request) && request.database === "postgres";

type Flags = ReturnType<typeof readFlags<(typeof newUsage)["flags"]>>["values"];

/** Reads the request from the flags, from stdin, or from answers at the terminal. */
async function readInput(flags: Flags, [path]: string[]): Promise<AnyInput> {
  if (flags.json && path === undefined) return readStdin();
  const given = readInputFlags(path, flags);
  const isComplete = given.name !== undefined && (given.framework ?? given.services) !== undefined;
  if (process.stdin.isTTY && process.stdout.isTTY && !flags.yes && !flags.json && !isComplete)
    return (await import("../new/ask.ts")).ask(given);
  if (given.name === undefined)
    throw new Fault("missing_name", "Name the project, or a path to it: dory new NAME --framework FRAMEWORK.");
  if (given.services) return given;
  const hint = newUsage.hint === undefined ? "" : ` ${newUsage.hint}`;
  if (!flags.yes && given.framework === undefined) throw missingFramework(hint);
  return { framework: "hono", ...given };
}

async function readStdin(): Promise<AnyInput> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  return readAnyInput(parseJson(Buffer.concat(chunks).toString()));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Fault("stdin", 'There is no JSON request on stdin. Send one like {"name":"my-api","framework":"hono"}.');
  }
}
