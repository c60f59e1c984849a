import express, { type ErrorRequestHandler } from "express";
import { pinoHttp } from "pino-http";
import { ZodError } from "zod";
import { host, port } from "../address.ts";
import { createItem, listItems, ping } from "./items.ts";
import { listQuery, newItem } from "./schema.ts";

const app = express();

app.use(pinoHttp());
app.use(express.json());

app.get("/health", async (_req, res) => {
  await ping();
  res.json({ status: "ok" });
});

app.get("/items", async (req, res) => {
  const { cursor } = listQuery.parse(req.query);
  res.json(await listItems(cursor));
});

app.post("/items", async (req, res) => {
  const { name } = newItem.parse(req.body);
  res.status(201).json(await createItem(name));
});

const onError: ErrorRequestHandler = (error, req, res, next) => {
  if (!(error instanceof ZodError)) return next(error);
  req.log.info(error);
  res.status(400).json({ errors: error.issues });
};
app.use(onError);

app.listen(port, host);
