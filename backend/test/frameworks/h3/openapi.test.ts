import assert from "node:assert/strict";
import { after, test } from "node:test";
import { defineRoute, defineValidatedHandler, H3 } from "h3";
import { tracingPlugin } from "h3/tracing";
import * as v from "valibot";
import { readRoute, watch } from "../../../kit/openapi/frameworks/h3/route.ts";
import { toListener } from "../../../src/core/frameworks/h3/connect.ts";

const { getBuiltinModule } = process;
after(() => {
  process.getBuiltinModule = getBuiltinModule;
});

const body = v.object({ text: v.string() });
const query = v.object({ page: v.string() });

test("what routes declare is seen although they are traced: before the plugin, after it, and mounted", () => {
  watch();
  const handler = () => "";
  const app = new H3();
  app.post("/before", defineValidatedHandler({ validate: { body, query }, handler }));
  app.register(tracingPlugin());
  app.post("/after", defineValidatedHandler({ validate: { body, query }, handler }));
  app.register(defineRoute({ method: "POST", route: "/defined", validate: { body, query }, handler }));
  app.mount("/mounted", new H3().post("/", defineValidatedHandler({ validate: { body, query }, handler })));
  const { routes } = toListener(app);
  assert.equal(routes.length, 4);
  for (const { pattern, definition } of routes) {
    const declared = readRoute(definition);
    assert.ok(declared.body === body && declared.query === query, pattern);
  }
});
