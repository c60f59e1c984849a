import Hapi from "@hapi/hapi";
import hapiPino from "hapi-pino";
import Joi from "joi";
import { host, port } from "../address.ts";
import { createItem, listItems, ping } from "./items.ts";

const newItem = Joi.object({ name: Joi.string().min(1).max(200).required() });
const listQuery = Joi.object({ cursor: Joi.string() });

const server = Hapi.server({ port, host });

server.route({
  method: "GET",
  path: "/health",
  handler: async () => {
    await ping();
    return { status: "ok" };
  },
});

server.route<{ Query: { cursor?: string } }>({
  method: "GET",
  path: "/items",
  options: { validate: { query: listQuery } },
  handler: ({ query }) => listItems(query.cursor),
});

server.route<{ Payload: { name: string } }>({
  method: "POST",
  path: "/items",
  options: { validate: { payload: newItem } },
  handler: async ({ payload }, h) => h.response(await createItem(payload.name)).code(201),
});

server.register(hapiPino).then(() => server.start());
