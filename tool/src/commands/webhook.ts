import { existsSync, readFileSync } from "node:fs";
import { senders } from "../../../backend/kit/suite/webhooks/senders.ts";
import { Fault } from "../fault.ts";
import { explainFailure, fetchText } from "../fetch-text.ts";
import { readFlags } from "../flags.ts";
import { mask } from "../mask.ts";
import { readSource, type Source } from "../new/request.ts";
import { secretsVariable } from "../new/webhooks.ts";
import { print, printJson } from "../output.ts";
import { readEnvFile } from "../publish/secrets.ts";
import { webhookUsage } from "../usage/webhook.ts";

/** Sends a backend an example of an event, signed as its source would sign it. */
export async function webhookCommand(args: string[]): Promise<number> {
  const { values, positionals } = readFlags(webhookUsage, args);
  const [verb, name = ""] = positionals;
  if (verb !== "send" || name === "" || values.to === undefined)
    throw new Fault("usage", "Name what to send, and where: dory webhook send SOURCE --to URL.");
  const source = readSource(name);
  const url = readUrl(values.to, source);
  const secrets = readSecrets(source);
  const { status, statusText, text: body } = await send(url, source, secrets[0] ?? "");
  const ok = status >= 200 && status < 300;
  const text = mask(body, secrets).slice(0, 2000);
  if (values.json) printJson({ ok, url, status, body: text });
  else print(`${url} answered ${status} ${statusText}${text === "" ? "" : `\n${text}`}`);
  return ok ? 0 : 1;
}

function readUrl(to: string, source: Source): string {
  if (!/^https?:\/\//.test(to) || !URL.canParse(to))
    throw new Fault("usage", `"${to}" is not an http: or https: URL. Pass one with --to.`);
  const url = new URL(to);
  if (url.pathname === "/") url.pathname = `/webhooks/${source}`;
  return url.href;
}

/** From the environment, from the file that it names, or from the `.env` that `npm start` reads. */
function readSecrets(source: Source): string[] {
  const name = secretsVariable(source);
  const given = { ...(existsSync(".env") && readEnvFile(".env")), ...process.env };
  const file = given[`${name}_FILE`];
  const value = (file === undefined ? given[name] : readSecret(name, file))?.trim() ?? "";
  if (value !== "") return value.split(",");
  const where = "the environment, or run this in a folder whose .env has it";
  throw new Fault(
    "secret_missing",
    `${name} is not set. Set it in ${where}: it must be the one that the backend uses.`,
  );
}

function readSecret(name: string, file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Fault("secret_missing", `The file that ${name}_FILE names cannot be read (${code}).`);
  }
}

async function send(url: string, source: Source, secret: string) {
  const { sample, sign } = senders[source] ?? expectSender(source);
  const message = sample();
  const signed = sign(message, secret, Math.floor(Date.now() / 1000));
  const headers = { "Content-Type": "application/json", ...signed };
  const request = { method: "POST", headers, body: message.body };
  return fetchText(url, request).catch((error) => {
    throw new Fault(
      "unreachable",
      `Nothing answers at ${url} (${explainFailure(error)}). Start the backend, or correct the URL.`,
    );
  });
}

function expectSender(source: Source): never {
  throw new Error(`no sender for events of ${source}`);
}
