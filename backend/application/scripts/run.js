import { inTurn } from "./in-turn.js";
import { provideDatabase } from "./postgres/database.js";
import { interrupt } from "./processes.js";
import { isInstalled, names, readSecrets, scriptsOf } from "./services.js";
import { serve, together } from "./together.js";

const usage = `node scripts/run.js start         all services at once, on ports from 3000 on; also dev
node scripts/run.js test          their tests, one service after the other; also any other script that they have
node scripts/run.js test NAME …   of these services only; further arguments are passed to the script`;

const [script = "", ...args] = process.argv.slice(2);
const firstOther = args.findIndex((arg) => !names.includes(arg));
const chosen = firstOther === -1 ? args : args.slice(0, firstOther);
const rest = args.slice(chosen.length);

/** These need neither secrets nor a database. */
const alone = ["build", "check", "format", "openapi", "test"];

process.on("SIGINT", interrupt).on("SIGTERM", interrupt);
process.exitCode = await run().catch(({ message }) => fail(message));

async function run() {
  if (script === "") return fail(usage);
  if (chosen.length === 0 && rest.length > 0)
    return fail(`There is no service "${rest[0]}". There are: ${names.join(", ")}.`);
  const meant = chosen.length > 0 ? chosen : names;
  if (script === "install") return together(meant, installing);
  const having = meant.filter((name) => scriptsOf(name)[script] !== undefined);
  if (having.length === 0) return fail(`No service has a script "${script}".`);
  if (!having.every(isInstalled)) return fail("The packages of the services are not installed. Run npm install first.");
  if (alone.includes(script)) return inTurn(having, script, rest);
  const secrets = readSecrets();
  await provideDatabase(secrets);
  const isServing = script === "start" || script === "dev";
  return isServing ? serve(having, commandsOf, secrets) : inTurn(having, script, rest, secrets);
}

function commandsOf(name) {
  const { [script]: command, [`pre${script}`]: before } = scriptsOf(name);
  return before === undefined ? [command] : [before, command];
}

function installing() {
  return [process.env.npm_command === "ci" ? "npm ci" : "npm install"];
}

function fail(message) {
  console.error(message);
  return 1;
}
