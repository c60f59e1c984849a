/** A field, as a JSON schema tells of it. */
export interface FieldSchema {
  /** Several stand for any JSON value. */
  type?: "string" | "number" | "integer" | "boolean" | "array" | string[];
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  format?: string | undefined;
  enum?: string[];
  items?: FieldSchema;
  default?: unknown;
  example?: unknown;
  examples?: unknown[];
}

/** What an item is, as a JSON schema tells of it. */
export interface ItemSchema {
  properties: Record<string, FieldSchema>;
  required: string[];
  examples: Record<string, unknown>[];
}
