import { existsSync, realpathSync, statSync } from "node:fs";
import type { Server } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { basename, delimiter, dirname, join } from "node:path";
import { loadBackend } from "../backend.ts";
import { Fault } from "../fault.ts";
import { readFlags } from "../flags.ts";
import { print } from "../output.ts";
import { readNumber } from "../publish/options.ts";
import type { Setting } from "../studio/local.ts";
import { createPublicStudio } from "../studio/public.ts";
import { studioUsage } from "../usage/studio.ts";

const firstPort = 4600;

/** Serves the page. */
export async function studioCommand(args: string[], setting: Partial<Setting> = {}): Promise<number> {
  const { values, positionals } = readFlags(studioUsage, args);
  const port = values.port === undefined ? undefined : readNumber("port", values.port, 1, 65_535);
  if (values.public) return servePublic(positionals[0], port, { loadBackend, ...setting });
  return serveLocal(findFolder(positionals[0] ?? "."), { port, isOpened: values.open, loadBackend, ...setting });
}

function findFolder(path: string): string {
  try {
    const folder = realpathSync(path);
    if (statSync(folder).isDirectory()) return folder;
  } catch {
    // It does not exist, or may not be read.
  }
  throw new Fault("folder", `There is no folder ${path}. Name the one to make projects in, or the one of a project.`);
}

async function servePublic(
  folder: string | undefined,
  port: number | undefined,
  setting: Pick<Setting, "loadBackend" | "page">,
): Promise<number> {
  if (folder !== undefined) throw new Fault("usage", "With --public nothing is written. Leave the folder out.");
  const { HOST = "127.0.0.1", PORT = "3000", RATE_LIMIT = "6000" } = process.env;
  const perMinute = readVariable("RATE_LIMIT", RATE_LIMIT, 1_000_000);
  const server = await createPublicStudio({ perMinute, ...setting });
  const chosen = await listen(server, HOST, [port ?? readVariable("PORT", PORT, 65_535)]);
  print(`The generator is at http://${HOST}:${chosen}`);
  await untilStopped(server);
  return 0;
}

function readVariable(name: string, text: string, most: number): number {
  if (/^\d{1,7}$/.test(text) && Number(text) >= 1 && Number(text) <= most) return Number(text);
  throw new Fault("usage", `${name} must be a whole number from 1 to ${most}.`);
}

/** A path in which this Node is the first: what is started runs on it. Other programs stay in their order, as far as they can. */
export function withNode(path: string, node: string): string {
  const first = path.split(delimiter).find((folder) => existsSync(join(folder, basename(node))));
  return first === dirname(node) ? path : `${dirname(node)}${delimiter}${path}`;
}

async function serveLocal(
  folder: string,
  {
    port,
    isOpened,
    ...setting
  }: Pick<Setting, "loadBackend" | "packages" | "page"> & { port: number | undefined; isOpened: boolean },
): Promise<number> {
  process.env["PATH"] = withNode(process.env["PATH"] ?? "", process.execPath);
  const { createLocalStudio } = await import("../studio/local.ts");
  const { openBrowser } = await import("../studio/browser.ts");
  const announce = (address: string) => print(`To open it in another browser: ${address}`);
  const studio = await createLocalStudio({ folder, announce, ...setting });
  const wanted = port ?? firstPort;
  const chosen = await listen(studio.server, "127.0.0.1", [wanted, ...(await findFreePorts(wanted))]);
  if (chosen !== wanted) print(`Port ${wanted} is taken, so it listens on ${chosen}.`);
  const address = studio.printAddress();
  print(`The studio for ${folder} is at ${address}`);
  print("This address works once. Ctrl-C ends the studio and what it has started.");
  if (isOpened && !(await openBrowser(address))) print("No browser could be opened: open the address yourself.");
  await untilStopped(studio.server);
  await studio.close();
  return 0;
}

/** Some ports after a port, and one that is free. */
async function findFreePorts(port: number): Promise<number[]> {
  const probe = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => probe.once("listening", resolve));
  const { port: free } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return [...Array.from({ length: 20 }, (_, index) => port + 1 + index).filter((one) => one < 65_536), free];
}

/** Listens on the first of these ports that is free; returns it. */
async function listen(server: Server, host: string, ports: number[]): Promise<number> {
  for (const port of ports) {
    const failure = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
      server.once("error", resolve);
      server.listen(port, host, () => resolve(undefined));
    });
    server.removeAllListeners("error");
    if (!failure) return port;
    if (!["EADDRINUSE", "EACCES"].includes(failure.code ?? ""))
      throw new Fault("listen", `The studio cannot listen on ${host}:${port} (${failure.code}).`);
  }
  throw new Fault("port_taken", `Port ${ports[0]} of ${host} is taken. Choose another with --port.`);
}

/** A second signal ends it at once. */
function untilStopped(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => {
      process.once("SIGINT", () => process.exit(130)).once("SIGTERM", () => process.exit(143));
      server.close(() => resolve());
      server.closeAllConnections();
    };
    process.once("SIGINT", stop).once("SIGTERM", stop);
  });
}
