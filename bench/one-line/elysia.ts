import { node } from "@elysiajs/node";
import { Elysia } from "elysia";
import { host, port } from "../address.ts";

new Elysia({ adapter: node() }).get("/health", () => ({ status: "ok" })).listen({ port, hostname: host });
