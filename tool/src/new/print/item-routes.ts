import { createExample } from "../../../../backend/kit/openapi/example.ts";
import type { Request } from "../request.ts";
import { describeFields } from "./openapi.ts";

/** The part of the README about the routes of single items. */
export function printItemRoutes({ fields, resources, features }: Request): string {
  const token = features.includes("auth") ? ' -H "Authorization: Bearer $TOKEN"' : "";
  const [[name, value] = []] = Object.entries(createExample(describeFields(fields)) as object);
  const isReferred = [...fields, ...resources.flatMap((one) => one.fields)].some(({ type }) => type === "ref");
  return `## One item

The answer to \`POST /items\` has the item's path in \`Location\`. To change or delete an item, send its \`ETag\` in \`If-Match\`, so that two
clients cannot overwrite each other's changes: without it the answer is 428, and 412 if the item has changed since. Then read it again.

\`\`\`sh
curl -i localhost:3000/items/$ID${token}
curl -X PATCH localhost:3000/items/$ID${token} -H 'If-Match: "…"' -H 'Content-Type: application/merge-patch+json' -d '${JSON.stringify({ [name ?? ""]: value })}'
curl -X DELETE localhost:3000/items/$ID${token} -H 'If-Match: "…"'
\`\`\`

A patch (RFC 7396) sets the fields that it has and removes those that are \`null\`; \`PUT\` takes a whole item.${isReferred ? " An item that others refer to cannot be deleted: 409 `conflict`." : ""}
A retry of \`POST\` with its \`Idempotency-Key\` gets the first answer again, even after the item was changed or deleted, for 30 days.

`;
}
