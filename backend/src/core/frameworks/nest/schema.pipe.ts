import { type ArgumentMetadata, BadRequestException, StandardSchemaValidationPipe } from "@nestjs/common";
import { invalidInput, validate } from "../../validation.ts";
import { otherBodies } from "./body.ts";

/** There is no JSON in a body that a schema validates. */
export class MissingJson extends Error {}

/**
 * Validates a parameter with its schema: `@Body({ schema: NewItem })`. An invalid body is a 422, the query of a list
 * names its parameter. The rest is as always in Nest, but no field is removed first: a schema decides what is unknown.
 */
export class SchemaPipe extends StandardSchemaValidationPipe {
  constructor() {
    super({
      exceptionFactory: (issues) => {
        const problem = invalidInput(issues);
        return problem.status === 400 ? problem : new BadRequestException(this.formatIssueMessages(issues));
      },
    });
  }

  override async transform<T>(value: T, metadata: ArgumentMetadata): Promise<T> {
    const { type, schema, data } = metadata;
    if (type !== "body" || !schema) return super.transform(value, metadata);
    // `@Body("name", …)` is one field, which may be missing in JSON.
    const isMissing = value === undefined && data === undefined;
    if (isMissing || otherBodies.has(value as object)) throw new MissingJson();
    return (await validate(schema, value)) as T;
  }

  protected override stripProtoKeys(): void {}
}
