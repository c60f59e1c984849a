import { container } from "./container.ts";
import { creation } from "./creation.ts";
import { features } from "./features.ts";
import { depth, growth } from "./growth.ts";
import { barePages, handWritten } from "./hand-written.ts";
import { page, pageInBareApp } from "./page.ts";
import { onPostgres } from "./postgres.ts";
import { firstStart, start } from "./start.ts";
import { webhook } from "./webhook.ts";

/** In the order of the report. */
export const measures = [
  ...handWritten,
  ...barePages,
  ...onPostgres,
  page,
  pageInBareApp,
  creation,
  webhook,
  ...features,
  growth,
  depth,
  start,
  firstStart,
  container,
];
