import { cancel, intro, isCancel, multiselect, note, outro, select, text } from "@clack/prompts";
import { Fault } from "../fault.ts";
import { fieldExamples } from "./choices.ts";
import { parseFields } from "./field.ts";
import { databases, frameworks, type RequestInput, readPath, simpleFeatures, sources } from "./request.ts";
import { splitFields } from "./split.ts";

/** Asks for what the flags do not set. */
export async function ask(given: RequestInput): Promise<RequestInput> {
  intro("dory new");
  const { name, folder } = readPath(
    given.folder ??
      expectAnswer(
        await text({ message: "Name, or a path", initialValue: "my-api", validate: createValidator(readPath) }),
      ),
  );
  const framework =
    given.framework ??
    expectAnswer(
      await select({ message: "Framework", options: frameworks.map((value) => ({ value })), initialValue: "hono" }),
    );
  const fields =
    given.fields ??
    splitFields(
      expectAnswer(
        await text({
          message: `Fields, separated by spaces, like ${fieldExamples.slice(0, 3).join(" ")}`,
          initialValue: "name:string(1..200)",
          validate: createValidator((text) => parseFields(splitFields(text))),
        }),
      ),
    );
  const database =
    given.database ??
    expectAnswer(
      await select({ message: "Database", options: databases.map((value) => ({ value })), initialValue: "both" }),
    );
  const features = given.features ?? expectAnswer(await multiselect({ message: "With", options, required: false }));
  const webhooks =
    given.webhooks ??
    expectAnswer(
      await multiselect({
        message: "Webhooks from",
        options: sources.map((value) => ({ value: value as string })),
        required: false,
      }),
    );
  const summary = [
    `framework  ${framework}`,
    `fields     ${fields.join(" ")}`,
    `database   ${database}`,
    `with       ${features.join(", ") || "nothing else"}`,
    `webhooks   ${webhooks.join(", ") || "none"}`,
  ];
  note(summary.join("\n"), name);
  outro("Making it");
  return { ...given, name, folder, framework, fields, database, features, webhooks };
}

const hints: Record<(typeof simpleFeatures)[number], string> = {
  auth: "bearer tokens",
  cors: "for a front end elsewhere",
  "item-routes": "read, change and delete one item",
};
const options = simpleFeatures.map((value) => ({ value: value as string, hint: hints[value] }));

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
