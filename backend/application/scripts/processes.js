import { spawn } from "node:child_process";
import { folderOf } from "./services.js";

export const isWindows = process.platform === "win32";

const running = new Set();
/** Set once all processes have to end. */
let exitCode;

/** Starts a program in a service's folder; resolves with its exit code. */
export async function launch(name, program, args, options) {
  if (exitCode !== undefined) return 0;
  // A process in its own group gets no signals from the terminal: this process passes them on.
  const child = spawn(program, args, { cwd: folderOf(name), detached: !isWindows, ...options });
  running.add(child);
  options.onStart?.(child);
  const code = await new Promise((resolve) => child.once("close", resolve));
  running.delete(child);
  return code ?? (exitCode === undefined ? 1 : 0);
}

/** Ends all processes, and starts no more. The first code that is not 0 counts. */
export function endAll(code) {
  const isFirst = exitCode === undefined;
  exitCode ||= code;
  if (isFirst) signalAll();
}

/** Passes a signal on. At a second one, the services exit at once. */
export function interrupt() {
  exitCode ??= 0;
  signalAll();
}

function signalAll() {
  for (const child of running) {
    try {
      if (isWindows) child.kill();
      else process.kill(-child.pid, "SIGTERM");
    } catch (error) {
      if (error.code !== "ESRCH") throw error;
    }
  }
}

/** The exit code, once all processes have to end. */
export const endCode = () => exitCode;
