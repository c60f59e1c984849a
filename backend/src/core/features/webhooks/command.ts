import { readSettings } from "../../environment.ts";
import { logging } from "../../log.ts";
import { Problem, StartError } from "../../problem.ts";
import { coreSettings } from "../../start.ts";
import { createStore } from "../../store/open.ts";
import { webhooks } from "./feature.ts";
import type { Inbox, Parked } from "./inbox/inbox.ts";

const usage = `npm run webhooks                list what was given up after the last attempt
npm run webhooks show NUMBER    print one of them, with its body
npm run webhooks retry NUMBER   let it be tried again as if it had just come; "all" for all of them
npm run webhooks drop NUMBER    mark it as handled`;

const listLimit = 100;

/** A mistake in the command line. */
class UsageError extends Error {}

/** The commands. Each gets the number of an event; NaN means all events. */
const commands: Record<string, (inbox: Inbox, number: number) => Promise<string>> = {
  async list(inbox) {
    const parked = await inbox.listParked(listLimit + 1);
    if (parked.length === 0) return "No webhook is parked.";
    const more = parked.length > listLimit ? [`… and more: only the latest ${listLimit} are shown`] : [];
    return [...parked.slice(0, listLimit).map(printParked), ...more].join("\n");
  },

  async show(inbox, number) {
    const parked = await inbox.findParked(number);
    return parked ? `${printParked(parked)}\n\n${escapeControls(`${parked.body}`)}` : refuse(number);
  },

  async retry(inbox, number) {
    const isAll = Number.isNaN(number);
    const count = await inbox.retry(isAll ? undefined : number);
    return count > 0 || isAll ? `To be tried again: ${count}` : refuse(number);
  },

  async drop(inbox, number) {
    return (await inbox.drop(number)) > 0 ? `Dropped: ${number}` : refuse(number);
  },
};

async function run([verb = "list", which = "", ...rest]: string[]): Promise<void> {
  const command = Object.hasOwn(commands, verb) ? commands[verb] : undefined;
  const isNumber = /^\d{1,15}$/.test(which);
  const isMeant = verb === "list" ? which === "" : isNumber || (verb === "retry" && which === "all");
  if (!command || !isMeant || rest.length > 0) throw new UsageError(usage);
  const config = readSettings(process.env, (read) => coreSettings(read, []));
  logging.level = "silent";
  const store = createStore(config, [webhooks]);
  await store.open();
  try {
    console.log(await command(store.inbox, isNumber ? Number(which) : Number.NaN));
  } finally {
    await store.close();
  }
}

function printParked({ number, source, type, id, parkedAt, attempts, error }: Parked): string {
  const [reason = ""] = error.split("\n");
  const what = `${number}  ${source}  ${type || "-"}  ${id}`;
  return `${what}  ${parkedAt.toISOString()}  ${attempts} attempts  ${escapeControls(reason)}`;
}

/** A terminal would obey control characters. They are shown as JSON writes them, so that a body stays the same JSON. */
function escapeControls(text: string): string {
  const control = /(?!\r?\n|\t)[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;
  return text.replace(control, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function refuse(number: number): never {
  throw new UsageError(`No webhook is parked under the number ${number}.`);
}

run(process.argv.slice(2)).catch((error) => {
  const isExpected = error instanceof StartError || error instanceof UsageError;
  if (error instanceof Problem) console.error("The database of DATABASE_URL cannot be used. Is it running?");
  else console.error(isExpected ? error.message : error);
  process.exit(1);
});
