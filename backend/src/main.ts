import { setTimeout as sleep } from "node:timers/promises";
import { createApp } from "./app.ts";
import { readConfig, StartError } from "./config.ts";
import { flushLog, log, logging } from "./log.ts";
import { unavailable } from "./problem.ts";
import { createShell } from "./server.ts";
import { openStore } from "./store/open.ts";

start().catch((error) => {
  console.error(error instanceof StartError ? error.message : error);
  process.exit(1);
});

async function start(): Promise<void> {
  const config = readConfig(process.env);
  logging.level = config.logLevel;
  const store = await openStore(config);
  let isStopping = false;

  const health = async () => {
    const isUp = !isStopping && Promise.race([store.ping().then(() => true), sleep(1000, false, { ref: false })]);
    if (!(await isUp)) throw unavailable();
  };

  const shell = createShell(await createApp({ config, store, health }), config);

  const stop = async (exitCode: number) => {
    if (isStopping) process.exit(1);
    isStopping = true;
    log("info", "stopping");
    await sleep(config.drainDelayMs);
    setTimeout(() => process.exit(1), config.shutdownTimeoutMs + 250);
    const isClean = await shell.drain();
    await store.close();
    process.exit(isClean ? exitCode : 1);
  };

  process.on("exit", flushLog);
  for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => stop(0));
  process.on("uncaughtException", (error) => {
    log("error", "stopping after an error that nobody handled", { error });
    void stop(1);
  });

  log("info", "listening", { port: await shell.listen() });
}
