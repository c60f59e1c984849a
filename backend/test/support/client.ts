import { once } from "node:events";
import { Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from "node:http";
import { text } from "node:stream/consumers";
import { credentials } from "../../kit/suite/auth/tokens.ts";

export interface Item {
  id: string;
  name: string;
  createdAt: string;
}

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Partial<
    Item & { items: Item[]; nextCursor: string | null; status: number | string; code: string; requestId: string }
  >;
}

/** Far above every limit that a test sets: a request that takes longer hangs. */
const patienceMs = 20_000;

/** One request after the other on one connection that is kept alive. It retries nothing. */
export class Client {
  readonly #url: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(url: string) {
    this.#url = url;
  }

  get(path: string, headers: OutgoingHttpHeaders = {}): Promise<Answer> {
    return this.#send("GET", path, headers);
  }

  create(name: string, headers: OutgoingHttpHeaders = {}): Promise<Answer> {
    return this.#send("POST", "/items", { "Content-Type": "application/json", ...headers }, JSON.stringify({ name }));
  }

  close(): void {
    this.#agent.destroy();
  }

  async #send(method: string, path: string, more: OutgoingHttpHeaders = {}, body = ""): Promise<Answer> {
    const headers = { ...credentials, ...more };
    const signal = AbortSignal.timeout(patienceMs);
    const req = request(this.#url + path, { agent: this.#agent, method, headers, signal }).end(body);
    req.on("error", () => {});
    const [res] = await once(req, "response");
    return { status: res.statusCode, headers: res.headers, body: JSON.parse(await text(res)) };
  }
}

/** Uses a new connection for one request or several. */
export async function withClient<T>(url: string, use: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client(url);
  try {
    return await use(client);
  } finally {
    client.close();
  }
}

export function get(url: string, path: string, headers?: OutgoingHttpHeaders): Promise<Answer> {
  return withClient(url, (client) => client.get(path, headers));
}

export function create(url: string, name: string, headers?: OutgoingHttpHeaders): Promise<Answer> {
  return withClient(url, (client) => client.create(name, headers));
}

/** Every item, newest first, by walking the cursors. */
export function listAll(url: string, limit = 100): Promise<Item[]> {
  return withClient(url, async (client) => {
    const items: Item[] = [];
    for (let path: string | undefined = `/items?limit=${limit}`; path; ) {
      const { status, body }: Answer = await client.get(path);
      if (status !== 200) throw new Error(`a page was answered with ${status} ${body.code}`);
      items.push(...(body.items ?? []));
      path = body.nextCursor ? `/items?limit=${limit}&cursor=${body.nextCursor}` : undefined;
    }
    return items;
  });
}
