import { randomBytes } from "node:crypto";
import { resolve } from "node:path";
import { loadBackend } from "../backend.ts";
import { Fault } from "../fault.ts";
import { readFlags } from "../flags.ts";
import { filesFor } from "../new/application.ts";
import { readInputFlags } from "../new/input.ts";
import { ownNode } from "../new/own-node.ts";
import { printAnyEnv } from "../new/print/application/env.ts";
import { exportUrl } from "../new/print/readme.ts";
import { commitAll, npmInstall, npmStart, quote } from "../new/programs.ts";
import { frameworks, readFolder } from "../new/request.ts";
import {
  type AnyInput,
  type AnyRequest,
  isApplication,
  readAnyInput,
  readAnyRequest,
  writeAnyRequest,
} from "../new/services.ts";
import type { Files } from "../new/slice/slice.ts";
import { writeProject } from "../new/write.ts";
import { print, printJson } from "../output.ts";
import { showLine } from "../progress.ts";
import { createProjectId } from "../project-id.ts";
import { newUsage } from "../usage/new.ts";

/** Makes a project. */
export async function newCommand(args: string[], load = loadBackend): Promise<number> {
  const { values, positionals } = readFlags(newUsage, args);
  const say = (line: string) => void (values.json ? undefined : print(line));
  const asked = await readInput(values, positionals);
  const request = readAnyRequest({ node: ownNode, ...asked, id: createProjectId() });
  const path = readFolder(asked.folder ?? request.name);
  const files = filesFor(request, load());
  const secrets = createSecrets(request);
  const paths = [...files.keys(), ...secrets.keys()];
  const result = { ok: true, request: writeAnyRequest(request), files: paths };
  if (values["dry-run"]) {
    if (values.json) printJson(result);
    for (const path of paths) say(path);
    return 0;
  }
  const folder = await writeProject(resolve(path), files, secrets);
  say(`Made ${folder.path}: ${paths.length} files`);
  for (const path of secrets.keys()) say(`${path} is for this machine: it is not committed and not part of an image.`);
  if (values.install) await install(folder.path, isTerminal && !values.json ? showLine : (title) => say(`${title} …`));
  if (values.git) await commitAll(folder.path, files, say);
  folder.keep();
  if (values.json) printJson({ ...result, folder: folder.path });
  const go = resolve(path) === process.cwd() ? "" : `  cd ${quote(path)}\n`;
  const url = needsUrl(request) ? `  ${exportUrl}     # your server's\n` : "";
  say(
    `\nNext:\n${go}${url}  ${values.install ? "" : "npm install && "}npm start\n  npm test\nLater, dory add --help: ${isApplication(request) ? "services, " : ""}fields, features and webhooks.`,
  );
  return values.start ? npmStart(folder.path) : 0;
}

/** Whether `npm start` fails without the address of a database. */
const needsUrl = (request: AnyRequest) => !isApplication(request) && request.database === "postgres";

/** If npm fails, the project stays, and the message says how to continue. */
async function install(path: string, begin: Parameters<typeof npmInstall>[1]): Promise<void> {
  const reason = await npmInstall(path, begin);
  if (reason === undefined) return;
  const next = `Continue with: cd ${quote(path)} && npm install`;
  throw new Fault("npm_install", `The project is made, but npm install failed:\n${reason}\n${next}`);
}

const isTerminal = process.stdout.isTTY && process.env["TERM"] !== "dumb";

/** The only files with random values, which differ each time. */
function createSecrets(request: AnyRequest): Files {
  const text = printAnyEnv(request, () => randomBytes(32).toString("hex"));
  return new Map(text === "" ? [] : [[".env", text]]);
}

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
  if (!flags.yes && given.framework === undefined)
    throw new Fault("missing_framework", `Choose a framework with --framework: ${frameworks.join(", ")}.${hint}`);
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
