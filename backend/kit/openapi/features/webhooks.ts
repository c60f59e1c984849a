import { invalidSignature } from "../../../src/core/features/webhooks/signature.ts";
import type { WebhookSource } from "../../../src/core/features/webhooks/source.ts";
import { sourceNames, sources } from "../../../src/core/features/webhooks/sources.ts";
import type { Feature } from "../feature.ts";
import { always, answer, capital, problems } from "../operations.ts";

const tag = "webhooks";

/** The member of an operation that names the source of its events. */
export const sourceMember = "x-webhook-source";

export const webhooks: Feature = {
  tag,
  problems: [invalidSignature("The signature does not match this body and this source's secrets.")],
  operationAt({ method, path }, { headers, security }) {
    const source = sourceNames.find((name) => path.endsWith(`/${tag}/${name}`));
    if (method !== "post" || source === undefined) return undefined;
    const described: WebhookSource<object> = sources[source];
    return {
      operationId: `receive${capital(source)}Webhook`,
      summary: `Accepts an event from ${source}, once it is durable`,
      tags: [tag],
      ...security,
      [sourceMember]: source,
      parameters: Object.entries(described.headers).map(([name, description]) => parameter(name, description)),
      requestBody: { required: true, content: { "application/json": { schema: { type: "object" } } } },
      responses: {
        ...(described.answer && { 200: answer("The answer if it is not an event", { type: "object" }, headers) }),
        202: answer("Accepted, now or earlier: it is handled once", accepted, headers),
        ...problems([...always, 401, 413, 415]),
      },
    };
  },
};

const accepted = { type: "object", properties: { id: { type: "string" } }, required: ["id"] };

function parameter(name: string, description: string): object {
  return { name, in: "header", description, schema: { type: "string" } };
}
