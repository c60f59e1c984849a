import { getValidatedQuery, H3, onResponse, readValidatedBody, serve } from "h3";
import { host, port } from "../address.ts";
import { createItem, listItems, ping } from "./items.ts";
import { listQuery, newItem } from "./schema.ts";

const app = new H3();

app.use(onResponse(({ status }, { req, url }) => console.log(`${req.method} ${url.pathname} ${status}`)));

app.get("/health", async () => {
  await ping();
  return { status: "ok" };
});

app.get("/items", async (event) => {
  const { cursor } = await getValidatedQuery(event, listQuery);
  return listItems(cursor);
});

app.post("/items", async (event) => {
  const { name } = await readValidatedBody(event, newItem);
  event.res.status = 201;
  return createItem(name);
});

serve(app, { port, hostname: host });
