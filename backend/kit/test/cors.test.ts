import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { load } from "../project.ts";

const { origin } = await load<typeof import("../../src/core/features/cors/cors.ts")>("src/core/features/cors/cors.ts");

const origins = [
  "https://app.example.com",
  "http://localhost:5173",
  "https://app.example.com:8443",
  "http://127.0.0.1",
  "http://[::1]:3000",
  "https://xn--bcher-kva.example",
];

const others = [
  "",
  " ",
  "*",
  "null",
  "app.example.com",
  "//app.example.com",
  "https://",
  "https://*.example.com",
  "https://app.example.com/",
  "https://app.example.com/path",
  "https://app.example.com?x",
  "https://app.example.com#x",
  "https://app.example.com:443",
  "http://app.example.com:80",
  "https://App.example.com",
  "HTTPS://app.example.com",
  "https://user@app.example.com",
  " https://app.example.com",
  "https://app.example.com ",
  "https://bücher.example",
  "file:///index.html",
  "ftp://app.example.com",
];

describe("an origin", () => {
  for (const written of origins) test(`may be ${written}`, () => assert.equal(origin.read(written), written));
  for (const written of others) test(`may not be "${written}"`, () => assert.equal(origin.read(written), undefined));
});
