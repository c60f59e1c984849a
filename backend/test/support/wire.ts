import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { tokens } from "../../kit/suite/auth/tokens.ts";
import { eventually } from "../../kit/test/eventually.ts";

/** A raw connection, for clients that are slow, silent or malicious. */
export class Wire {
  readonly socket: Socket;
  received = "";
  /** Resolves with all received bytes when the backend ends the connection; rejects if it resets it. */
  readonly ended: Promise<string>;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.setEncoding("utf8").on("data", (text) => (this.received += text));
    this.ended = once(socket, "end").then(() => this.received);
    this.ended.catch(() => {});
    socket.on("error", () => {});
  }

  static async open(url: string): Promise<Wire> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, "connect");
    return new Wire(socket);
  }

  /** Sends lines, the last one without a line break. */
  send(...lines: string[]): void {
    this.socket.write(lines.join("\r\n"));
  }

  /** Resolves when that many answers have begun to arrive. */
  async answers(count: number): Promise<void> {
    await eventually(() => this.received.split("HTTP/1.1 ").length > count, `answer ${count} on a bare connection`);
  }
}

/** The lines of a creation up to its body, which has that many bytes. */
export function creationHead(length: number): string[] {
  const type = "Content-Type: application/json";
  return ["POST /items HTTP/1.1", "Host: localhost", type, `Content-Length: ${length}`, authorization, ""];
}

/** The line that every request to a route but /health needs. */
export const authorization = `Authorization: Bearer ${tokens[0]}`;
