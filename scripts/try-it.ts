import { randomBytes } from "node:crypto";
import { existsSync, writeFileSync } from "node:fs";
import openApi from "../backend/openapi.json" with { type: "json" };

const isSet = (name: string) => name in process.env || `${name}_FILE` in process.env;

/** What the backend does not start without; a token of this machine's own. */
const required = { API_TOKENS: randomBytes(32).toString("hex"), CORS_ORIGINS: "http://localhost:5173" };
const missing = Object.entries(required).filter(([name]) => !isSet(name));
if (!existsSync(".env") && missing.length > 0)
  writeFileSync(".env", missing.map(([name, value]) => `${name}=${value}\n`).join(""), { mode: 0o600 });

const [example] = openApi.components.schemas.NewItem.examples;
const url = `http://localhost:${process.env["PORT"] ?? 3000}`;
const authorization = '-H "Authorization: Bearer $TOKEN"';
console.error(`Try:
  ${existsSync(".env") ? ". ./.env && " : ""}TOKEN=\${API_TOKENS%%,*}
  curl ${url}/health
  curl ${url}/items ${authorization}
  curl ${url}/items ${authorization} -H 'Content-Type: application/json' -d '${JSON.stringify(example)}'
`);
