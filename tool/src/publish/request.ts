// Only types: every front end asks for publishing in these words, the page among them.

/** The options of publishing as flags, forms and tools contain them. */
export interface OptionInput {
  port?: string;
  domain?: string;
  replicas?: string;
  autoscale?: string;
  wait?: boolean;
  "take-over"?: boolean;
  "health-seconds"?: string;
  "watch-seconds"?: string;
}

/** What was published, or would be, and where. */
export interface Destination extends OptionInput {
  /** The project's folder. */
  folder: string;
  /** The name of the target. */
  to: string;
}

export interface PublishRequest extends Destination {
  registry?: string;
  /** Whether the image is tested before it is released. */
  smoke?: boolean;
  /** Whether to release even if nothing changed. */
  force?: boolean;
}

export interface RollbackRequest extends Destination {
  /** The previous one, if none is named. */
  release?: string;
  "keep-secrets"?: boolean;
}
