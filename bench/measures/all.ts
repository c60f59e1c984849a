import { container } from "./container.ts";
import { creation } from "./creation.ts";
import { depth, growth } from "./growth.ts";
import { handWrittenCreation, handWrittenHealth, handWrittenItems } from "./hand-written.ts";
import { page, pageInBareApp } from "./page.ts";
import { firstStart, start } from "./start.ts";

/** In the order of the report. */
export const measures = [
  handWrittenHealth,
  handWrittenItems,
  handWrittenCreation,
  page,
  pageInBareApp,
  creation,
  growth,
  depth,
  start,
  firstStart,
  container,
];
