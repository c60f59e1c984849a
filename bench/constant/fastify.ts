import Fastify from "fastify";
import { page, serve } from "./serve.ts";

const app = Fastify();
app.get("/items", async (_request, reply) => reply.type("application/json").send(page));
app.ready().then(() => serve(app.routing));
