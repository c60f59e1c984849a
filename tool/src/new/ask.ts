import { cancel, intro, isCancel, log, multiselect, outro, select, text } from "@clack/prompts";
import { Fault } from "../fault.ts";
import { fieldExamples, resourceExample } from "./choices.ts";
import { toCommand } from "./command.ts";
import {
  type Description,
  databaseDescriptions,
  featureDescriptions,
  frameworkDescriptions,
  sourceDescriptions,
} from "./descriptions.ts";
import { defaultFields, parseFields, writeField } from "./field.ts";
import { databases, frameworks, readPath, readRequest, simpleFeatures, sources } from "./request.ts";
import type { AnyInput } from "./services.ts";
import { splitFields } from "./split.ts";

/** Asks for what the flags do not set, and prints the command that asks for the same. */
export async function ask(given: AnyInput): Promise<AnyInput> {
  intro("dory new");
  const { name, folder } = readPath(given.folder ?? (await askText("Name, or a path", "my-api", readPath)));
  const framework =
    given.framework ??
    (given.services ? undefined : await askOne("Framework", frameworks, frameworkDescriptions, "hono"));
  const fields = given.fields ?? (await askFields());
  const resources = given.resources ?? (await askResources(fields));
  const database = given.database ?? (await askOne("Database", databases, databaseDescriptions, "both"));
  const features = given.features ?? (await askSome("With", simpleFeatures, featureDescriptions));
  const webhooks = given.webhooks ?? (await askSome("Webhooks from", sources, sourceDescriptions));
  const chosen = { ...given, name, folder, fields, resources, database, features, webhooks };
  const request = framework === undefined ? chosen : { ...chosen, framework };
  log.step("The command that asks for the same:");
  outro(toCommand(request));
  return request;
}

/** Several at once, or one after the other. */
async function askFields(): Promise<string[]> {
  const standard = defaultFields.map(writeField).join(" ");
  const message = `Fields of an item, separated by spaces, like ${fieldExamples.slice(1, 4).join(" ")}`;
  const fields = splitFields(await askText(message, standard, (text) => parseFields(splitFields(text))));
  return addMore(fields, "Another field (Enter if there is none)", splitFields, parseFields);
}

async function askResources(fields: string[]): Promise<string[]> {
  const message = `Another resource besides the items, like ${resourceExample} (Enter if there is none)`;
  const check = (resources: string[]) => readRequest({ name: "a", framework: "hono", fields, resources });
  return addMore([], message, (text) => [text], check);
}

/** Asks until the answer is empty. */
async function addMore(
  before: string[],
  message: string,
  split: (text: string) => string[],
  check: (all: string[]) => unknown,
): Promise<string[]> {
  const answer = await askText(message, "", (text) => text.trim() === "" || check([...before, ...split(text)]));
  return answer.trim() === "" ? before : addMore([...before, ...split(answer)], message, split, check);
}

/** What is typed replaces the suggestion; `read` throws if it is wrong. */
async function askText(message: string, suggestion: string, read: (text: string) => unknown): Promise<string> {
  const validate = createValidator((answer) => read(answer === "" ? suggestion : answer));
  return expectAnswer(await text({ message, placeholder: suggestion, defaultValue: suggestion, validate }));
}

async function askOne<N extends string>(
  message: string,
  names: readonly N[],
  descriptions: Record<N, Description>,
  initialValue: N,
): Promise<string> {
  return expectAnswer(await select<string>({ message, options: describe(names, descriptions), initialValue }));
}

async function askSome<N extends string>(
  message: string,
  names: readonly N[],
  descriptions: Record<N, Description>,
): Promise<string[]> {
  const options = describe(names, descriptions);
  return expectAnswer(await multiselect<string>({ message, options, required: false }));
}

/** Each choice with its sentence. */
function describe<N extends string>(names: readonly N[], descriptions: Record<N, Description>) {
  return names.map((name) => {
    const { title, sentence } = descriptions[name];
    return { value: name as string, label: `${title}: ${sentence.replace(/\.$/, "")}` };
  });
}

function expectAnswer<T>(answer: T): Exclude<T, symbol> {
  if (!isCancel(answer)) return answer as Exclude<T, symbol>;
  cancel("Nothing was made.");
  throw new Fault("cancelled", "Cancelled.");
}

/** A validator for prompts: the message of the error that `read` throws. */
function createValidator(read: (text: string) => unknown) {
  return (text = ""): string | undefined => {
    try {
      read(text);
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  };
}
