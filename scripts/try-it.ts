import { example } from "../backend/src/item.ts";

const url = `http://localhost:${process.env["PORT"] ?? 3000}`;
console.error(`Try:
  curl ${url}/health
  curl ${url}/items
  curl ${url}/items -H 'Content-Type: application/json' -d '${JSON.stringify(example)}'
`);
