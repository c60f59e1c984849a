import { Elysia } from "elysia";
import { readCreation } from "../../resource.ts";
import { nodeRequest } from "./request.ts";

/** Gives handlers the options of a creation, from its headers: `app.use(creation).post("/", …, { creation: true })`. */
export const creation = new Elysia({ name: "creation" }).macro({
  creation: { resolve: ({ request }) => ({ creation: readCreation(nodeRequest(request)) }) },
});
