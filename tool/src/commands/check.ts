import { checkBackend } from "../check.ts";
import { readFlags } from "../flags.ts";
import { print, printJson } from "../output.ts";
import { checkUsage } from "../usage/check.ts";

/** Checks a running backend against the contract. */
export async function checkCommand(args: string[]): Promise<number> {
  const { values, positionals } = readFlags(checkUsage, args);
  const { openapi, json: isJson = false } = values;
  const [url = ""] = positionals;
  let text = "";
  const progress = showProgress(() => text);
  const { isOk, passed, findings } = await checkBackend(
    { url, ...(openapi === undefined ? {} : { openapi }) },
    {
      onFinding({ check, fault }, done, all) {
        text = `${done} of ${all} checks`;
        if (fault !== undefined && !isJson) progress.print(`✗ ${check}\n${indent(fault)}`);
      },
    },
  ).finally(progress.end);
  const skipped = findings.flatMap((finding) => finding.skipped ?? []);
  if (isJson) printJson({ ok: isOk, url, checks: findings });
  else print(`${passed} of ${findings.length} checks passed for ${url}${printReasons(skipped)}`);
  return isOk ? 0 : 1;
}

/** Why checks were skipped, each reason once. */
function printReasons(skipped: string[]): string {
  const reasons = [...new Set(skipped)].map((reason) => `\n    ${reason}`);
  return skipped.length === 0 ? "" : `; ${skipped.length} were skipped:${reasons.join("")}`;
}

/** Shows progress on stderr: on a terminal every two seconds, in a log every ten. */
function showProgress(text: () => string) {
  const { stderr } = process;
  const clear = stderr.isTTY ? "\r\x1b[K" : "";
  let isShown = false;
  const show = () => {
    if (text() === "") return;
    isShown = true;
    stderr.write(stderr.isTTY ? clear + text() : `${text()}\n`);
  };
  const timer = setInterval(show, stderr.isTTY ? 2000 : 10_000);
  return {
    print(line: string): void {
      if (isShown) stderr.write(clear);
      print(line);
    },
    end(): void {
      clearInterval(timer);
      if (isShown) stderr.write(clear);
    },
  };
}

function indent(text: string): string {
  return text
    .split("\n")
    .slice(0, 12)
    .map((line) => `    ${line.slice(0, 300)}`)
    .join("\n");
}
