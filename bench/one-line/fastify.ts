import Fastify from "fastify";
import { host, port } from "../address.ts";

const app = Fastify();
app.get("/health", async () => ({ status: "ok" }));
app.listen({ port, host });
