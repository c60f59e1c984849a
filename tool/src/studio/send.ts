import { request as httpRequest } from "node:http";
import type { SendAnswer, SendRequest } from "./api.ts";
import { HttpFault } from "./http.ts";

const mostBytes = 262_144;
const timeoutMs = 30_000;

/** Sends one request to a backend that runs here. It goes nowhere else: only its path is chosen. */
export function send(url: string, { method, path, headers, body }: SendRequest): Promise<SendAnswer> {
  if (!path.startsWith("/")) throw unsendable('the path begins with "/"');
  const start = performance.now();
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const fail = (error: Error) => reject(unsendable(error.message));
    try {
      const sent = httpRequest(
        { hostname, port, path, method, headers, agent: false, timeout: timeoutMs },
        (message) => {
          const chunks: Buffer[] = [];
          let size = 0;
          const end = (isTruncated: boolean) =>
            resolve({
              status: message.statusCode ?? 0,
              statusText: message.statusMessage ?? "",
              headers: pairUp(message.rawHeaders),
              body: Buffer.concat(chunks).toString("utf8", 0, mostBytes),
              isTruncated,
              ms: Math.round((performance.now() - start) * 10) / 10,
            });
          message.on("data", (chunk: Buffer) => {
            chunks.push(chunk);
            size += chunk.length;
            if (size <= mostBytes) return;
            end(true);
            sent.destroy();
          });
          message.once("end", () => end(false));
          message.once("error", fail);
        },
      );
      sent.once("timeout", () => sent.destroy(new Error(`there was no answer within ${timeoutMs / 1000} s`)));
      sent.once("error", fail);
      sent.end(body);
    } catch (error) {
      fail(error as Error);
    }
  });
}

const unsendable = (why: string) =>
  new HttpFault({ status: 400, code: "cannot_send", detail: `The request cannot be sent: ${why}.` });

function pairUp(raw: string[]): [name: string, value: string][] {
  return raw.flatMap((name, index): [string, string][] => (index % 2 === 0 ? [[name, raw[index + 1] ?? ""]] : []));
}
