import { readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { Fault } from "../fault.ts";
import { contextFiles } from "./context.ts";
import type { Secrets } from "./secrets.ts";

/** Stops if something that goes into a build looks like a secret, or is one of those declared. */
export async function refuseSecretsIn(folder: string, secrets: Secrets): Promise<void> {
  const found: string[] = [];
  for (const file of contextFiles(folder)) {
    const content = readFileSync(join(folder, file));
    // Binary files hold no line that could be named; nothing of ours has any.
    if (!content.includes(0)) found.push(...(await findingsIn(file, content.toString(), secrets)));
  }
  if (found.length > 0)
    throw new Fault(
      "secret_in_context",
      `These would be built into the image:\n${found.map((one) => `  ${one}`).join("\n")}\nTake them out, and hand secrets over as environment variables declared in dory.json. If one was committed, replace it.`,
    );
}

async function findingsIn(file: string, content: string, secrets: Secrets): Promise<string[]> {
  const declared = Object.entries(secrets).flatMap(([name, value]) =>
    value.length >= 8 && content.includes(value)
      ? [`${file}:${lineAt(content, content.indexOf(value))} the value of ${name}`]
      : [],
  );
  return [...declared, ...(await lint(file, content))];
}

async function lint(file: string, content: string): Promise<string[]> {
  const { lintSource } = await import("@secretlint/core");
  const { creator } = await import("@secretlint/secretlint-rule-preset-recommend");
  const source = { content, filePath: file, ext: extname(file), contentType: "text" as const };
  const rules = [{ id: "@secretlint/secretlint-rule-preset-recommend", rule: creator, options: {} }];
  const options = { config: { rules }, maskSecrets: true, noPhysicFilePath: true };
  const { messages } = await lintSource({ source, options });
  return messages.map(({ loc, ruleId }) => `${file}:${loc.start.line} ${ruleId.replace(/.*secretlint-rule-/, "")}`);
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split("\n").length;
}
