import { once } from "node:events";
import type { Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { after } from "node:test";
import { createLocalStudio } from "../../src/studio/local.ts";
import { createPublicStudio } from "../../src/studio/public.ts";
import { backend, repository } from "../support.ts";

const page = join(repository, "tool/dist/studio");
const closing: (() => unknown)[] = [];
after(() => Promise.all(closing.map((close) => close())));

/** The body of an answer. */
export const parse = async (answer: Response) => JSON.parse(await answer.text());

export async function listen(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A public generator; it ends with the tests. */
export async function servePublic(perMinute = 1e9): Promise<string> {
  const server = await createPublicStudio({ loadBackend: () => backend, perMinute, page });
  closing.push(() => server.close().closeAllConnections());
  return listen(server);
}

/** A studio of this machine, and a browser that has opened it. */
export async function serveLocal(folder: string) {
  const addresses: string[] = [];
  const studio = await createLocalStudio({
    folder,
    loadBackend: () => backend,
    packages: join(repository, "node_modules"),
    page,
    announce: (address) => addresses.push(address),
  });
  await listen(studio.server);
  const close = async () => {
    studio.server.close().closeAllConnections();
    await studio.close();
  };
  closing.push(close);
  const first = studio.printAddress();
  return { ...(await open(first)), first, addresses, close };
}

/** A browser that opens a studio by its address. */
export async function open(address: string) {
  const url = new URL(address).origin;
  const opened = await fetch(address, { redirect: "manual" });
  const cookie = opened.headers.get("set-cookie")?.split(";", 1)[0] ?? "";
  const headers = { Cookie: cookie, Origin: url, "Content-Type": "application/json" };
  return {
    url,
    opened,
    cookie,
    get: (path: string) => fetch(`${url}${path}`, { headers: { Cookie: cookie } }),
    post: (path: string, body: unknown) =>
      fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) }),
  };
}

/** Sends bytes as they are; resolves with the status and the whole answer. */
export async function sendRaw(url: string, text: string): Promise<{ status: number; text: string }> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk)).on("error", () => {});
  socket.write(text);
  await once(socket, "close");
  const answer = Buffer.concat(chunks).toString();
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]), text: answer };
}
