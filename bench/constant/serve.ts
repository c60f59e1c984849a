import { readFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";

/** The page that an app answers with. */
export const page = readFileSync(process.env["PAGE_FILE"] ?? "", "utf8");

export function serve(listener: RequestListener): void {
  listen(createServer(listener));
}

export function listen(server: Server): void {
  server.listen(Number(process.env["PORT"]), process.env["HOST"]);
}
