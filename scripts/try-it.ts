import openApi from "../backend/openapi.json" with { type: "json" };

const [example] = openApi.components.schemas.NewItem.examples;
const url = `http://localhost:${process.env["PORT"] ?? 3000}`;
console.error(`Try:
  curl ${url}/health
  curl ${url}/items
  curl ${url}/items -H 'Content-Type: application/json' -d '${JSON.stringify(example)}'
`);
