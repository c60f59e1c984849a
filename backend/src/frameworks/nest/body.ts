import { StandardSchemaValidationPipe } from "@nestjs/common";
import type { RequestHandler } from "express";
import { readInto } from "../../http/body.ts";
import type { Parts } from "../../parts.ts";
import { invalidItem } from "../../validation.ts";
import { declare } from "./metadata.ts";
import { isWebhook } from "./webhooks/path.ts";

/** `@Body()` is the JSON that was sent to a route. Other bodies are refused when a handler reads it. */
export const jsonBody: RequestHandler = async (req, _res, next) => {
  if (isWebhook(req)) return next();
  await readInto(req, req);
  next();
};

/** Validates a parameter with its schema: `@Body({ schema: NewItem })`. No field is removed first. */
export class SchemaPipe extends StandardSchemaValidationPipe {
  constructor() {
    super({ exceptionFactory: invalidItem });
  }

  protected override stripProtoKeys(): void {}
}

export const bodyLimitKey = "bodyLimit";

/** Sets a larger or smaller body limit for a route or a controller: `@BodyLimit(5_000_000) @Post("import") …`. */
export const BodyLimit = (bytes: number | ((parts: Parts) => number)) => declare(bodyLimitKey, bytes);
