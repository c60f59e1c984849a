import express from "express";
import { page, serve } from "./serve.ts";

const app = express();
app.disable("etag");
app.get("/items", (_req, res) => {
  res.type("json").send(page);
});
serve(app);
