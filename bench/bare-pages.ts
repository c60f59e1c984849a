import { createServer } from "node:http";
import { host, port } from "./address.ts";
import { listItems } from "./hand-written/items.ts";

createServer(async (req, res) => {
  const { searchParams } = new URL(req.url ?? "", "http://localhost");
  const body = JSON.stringify(await listItems(searchParams.get("cursor") ?? undefined));
  res.writeHead(200, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) }).end(body);
}).listen(port, host);
