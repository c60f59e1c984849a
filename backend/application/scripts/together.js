import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { endAll, endCode, isWindows, launch } from "./processes.js";
import { environmentOf, folderOf, portOf } from "./services.js";

/** Runs the services at the same time, and ends them all when one ends. */
export async function serve(names, commandsOf, secrets) {
  for (const name of names) lineOf(names)(name, `http://localhost:${portOf(name, names)}`);
  return together(names, commandsOf, (name) => environmentOf(name, names, secrets), true);
}

/** Runs the commands of services at the same time, each output line after the service's name. If one fails, all end. */
export async function together(names, commandsOf, envOf = () => process.env, isServing = false) {
  const print = lineOf(names);
  await Promise.all(
    names.map(async (name) => {
      for (const command of commandsOf(name)) {
        const code = await runCommand(name, command, envOf(name), print);
        if (code !== 0 && endCode() === undefined) print(name, `${command}: ended with ${code}`);
        if (code !== 0) endAll(code);
      }
      if (isServing) endAll(0);
    }),
  );
  return endCode() ?? 0;
}

/** Runs a command as npm would. */
function runCommand(name, command, env, print) {
  const path = `${join(folderOf(name), "node_modules/.bin")}${delimiter}${env.PATH}`;
  // Signals must reach the program, not a shell around it.
  const isPlain = !isWindows && /^[\w\s./:=-]+$/.test(command);
  return launch(name, isPlain ? `exec ${command}` : command, [], {
    env: { ...env, PATH: path },
    stdio: ["ignore", "pipe", "pipe"],
    shell: true,
    onStart({ stdout, stderr }) {
      createInterface({ input: stdout }).on("line", (line) => print(name, line));
      createInterface({ input: stderr }).on("line", (line) => print(name, line, console.error));
    },
  });
}

function lineOf(names) {
  const width = Math.max(...names.map((name) => name.length));
  return (name, line, write = console.log) => write(`${name.padEnd(width)} | ${line}`);
}
