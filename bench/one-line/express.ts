import express from "express";
import { host, port } from "../address.ts";

const app = express();
app.get("/health", (_req, res) => {
  res.json({ status: "ok" });
});
app.listen(port, host);
