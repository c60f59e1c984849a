/** The JSON schema of a field. */
export interface FieldSchema {
  /** Several types mean any JSON value. */
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

/** The JSON schema of an item. */
export interface ItemSchema {
  properties: Record<string, FieldSchema>;
  required: string[];
  examples: Record<string, unknown>[];
}
