import { isDeepStrictEqual } from "node:util";
import { defaultFields, writeField } from "./field.ts";
import { quote } from "./programs.ts";
import { joinService } from "./service-parts.ts";
import { type AnyInput, isPlain } from "./services.ts";

/** The command that asks for the same again. What is the default is left out; what is wrong is written as it is. */
export function toCommand(input: AnyInput): string {
  const { name = "my-api", folder = name, services, ...own } = input;
  if (!isPlain(input)) return `echo ${quote(JSON.stringify(input))} | npx dory new --json`;
  const flags = [
    // Next to services it is the default of those without one, and no flag.
    ...(services ? [] : listFlag("framework", own.framework)),
    ...(services ?? []).flatMap(({ name, framework = own.framework }) =>
      listFlag("service", joinService({ name, framework })),
    ),
    ...(isDeepStrictEqual(own.fields, defaultFields.map(writeField)) ? [] : listFlags("field", own.fields)),
    ...listFlags("resource", own.resources),
    ...(own.database === "both" ? [] : listFlag("database", own.database)),
    ...listFlag("with", own.features?.join(",")),
    ...listFlag("webhook", own.webhooks?.join(",")),
    ...listFlag("node", own.node),
  ];
  return ["npx dory new", quote(folder), ...flags].join(" ");
}

const listFlag = (flag: string, value: string | undefined) => (value ? [`--${flag} ${quote(value)}`] : []);

const listFlags = (flag: string, values: string[] = []) => values.flatMap((value) => listFlag(flag, value));
