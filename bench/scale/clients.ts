import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { createGet } from "../load.ts";
import { Server } from "../server.ts";
import { type Series, toSeries } from "./series.ts";
import type { ScaleSetting } from "./setting.ts";

/** Clients that each sent one request and keep their connection. */
export async function measureClients({ postgres, plan, bundle, report }: ScaleSetting): Promise<Series[]> {
  const measured = new Map<number, Record<string, number>>();
  const DATABASE_URL = await postgres.createDatabase();
  const server = await Server.start(bundle, "/health", { DATABASE_URL });
  const sockets: Socket[] = [];
  for (const count of plan.clients) {
    report(`clients: ${count}`);
    const { connections } = await postgres.watch(DATABASE_URL, async () => {
      while (sockets.length < count) sockets.push(await askOnce(server.port));
      await sleep(200);
    });
    measured.set(count, {
      "Memory of the backend, MiB": server.memoryKib() / 1024,
      "Connections to the database": connections,
    });
  }
  for (const socket of sockets) socket.destroy();
  await server.stop();
  return toSeries("clients", measured);
}

async function askOnce(port: number): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1" });
  socket.write(createGet("/items").message);
  await once(socket, "data");
  return socket;
}
