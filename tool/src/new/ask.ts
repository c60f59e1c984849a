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
import { databases, frameworks, type RequestInput, readPath, readRequest, simpleFeatures, sources } from "./request.ts";
import { type AnyInput, readAnyRequest } from "./services.ts";
import { splitFields } from "./split.ts";

/** Asks for what the flags do not set, and prints the command that asks for the same. */
export async function ask(given: AnyInput): Promise<AnyInput> {
  intro("dory new");
  const { name, folder } = readPath(given.folder ?? (await askText("Name, or a path", "my-api", readPath)));
  const own = given.framework ?? (given.services ? several : await askFramework());
  const services = own === several ? (given.services ?? (await askServices([], given.database))) : undefined;
  const fields = given.fields ?? (await askFields());
  const resources = given.resources ?? (await askResources(fields));
  const database = given.database ?? (await askOne("Database", databases, databaseDescriptions, "both"));
  const features = given.features ?? (await askSome("With", simpleFeatures, featureDescriptions));
  const webhooks = given.webhooks ?? (await askSome("Webhooks from", sources, sourceDescriptions));
  const backends = services ? { services } : { framework: own };
  const request = { ...given, name, folder, ...backends, fields, resources, database, features, webhooks };
  log.step("The command that asks for the same:");
  outro(toCommand(request));
  return request;
}

/** The last choice makes an application. */
const several = "several";
const severalDescription = {
  title: "Several services",
  sentence: "An application of backends in one repository, each in a framework of its own.",
};

const askFramework = () =>
  askOne("Framework", [...frameworks, several], { ...frameworkDescriptions, [several]: severalDescription }, "hono");

/** Asks for services until a name is empty. */
async function askServices(before: RequestInput[], database = "postgres"): Promise<RequestInput[]> {
  const isFirst = before.length === 0;
  // It is not known yet whether they are on PostgreSQL, where not all names are possible.
  const check = (name: string) => {
    if (isFirst || name !== "")
      readAnyRequest({ name: "a", database, services: [...before, { name, framework: "hono" }] });
  };
  const message = isFirst ? "Name of the first service" : "Name of another service (Enter if there is none)";
  const name = await askText(message, isFirst ? "api" : "", check);
  if (name === "") return before;
  const framework = await askOne(`Framework of ${name}`, frameworks, frameworkDescriptions, "hono");
  return askServices([...before, { name, framework }], database);
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
