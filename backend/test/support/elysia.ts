import type { AnyElysia } from "elysia";
import { toListener } from "../../src/core/frameworks/elysia/connect.ts";
import { AppServer } from "../../src/core/http/server.ts";
import type { CoreParts } from "../../src/core/start.ts";
import { createTestServer } from "./server.ts";

/** An app of Elysia in the server around it. */
export async function createElysiaServer(app: AnyElysia) {
  const parts = { server: new AppServer() } as CoreParts;
  return createTestServer(await toListener(app, parts), {}, parts.server);
}
