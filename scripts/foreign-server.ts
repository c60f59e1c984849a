/** Preloaded by `foreign-suites.ts`: who makes a server with a listener gets the server of a backend around that listener. */
import http, { type RequestListener, type Server, type ServerOptions } from "node:http";
import { syncBuiltinESMExports } from "node:module";
import { createHttpServer, readServerSettings } from "../backend/src/core/http/server.ts";

const settings = { ...readServerSettings((_name, value, read) => read(value ?? "")), bodyLimitBytes: 10_000_000 };
const routes = [{ method: "*", pattern: "/*" }];
const createOwn = http.createServer;

function create(...args: unknown[]): Server {
  const listener = args.find((one): one is RequestListener => typeof one === "function");
  if (!listener) return Reflect.apply(createOwn, http, args);
  let server: Server | undefined;
  replaceCreate((options: ServerOptions) => {
    server = createOwn(options);
    return server;
  });
  createHttpServer({ listener, routes }, settings);
  replaceCreate(create);
  return server as unknown as Server;
}

function replaceCreate(value: unknown): void {
  http.createServer = value as typeof createOwn;
  syncBuiltinESMExports();
}

process.env["LOG_LEVEL"] ??= "fatal";
replaceCreate(create);
