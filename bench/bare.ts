import { createServer } from "node:http";

const body = '{"status":"ok"}';

createServer((_req, res) => {
  res.writeHead(200, { "Content-Type": "application/json", "Content-Length": body.length }).end(body);
}).listen(Number(process.env["PORT"]), process.env["HOST"]);
