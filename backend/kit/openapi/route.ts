import { findFramework } from "../project.ts";
import type { Declaration } from "./declaration.ts";
import * as elysia from "./frameworks/elysia/route.ts";
import * as express from "./frameworks/express/route.ts";
import * as fastify from "./frameworks/fastify/route.ts";
import * as h3 from "./frameworks/h3/route.ts";
import * as hapi from "./frameworks/hapi/route.ts";
import * as hono from "./frameworks/hono/route.ts";
import * as koa from "./frameworks/koa/route.ts";
import * as nest from "./frameworks/nest/route.ts";

interface RouteReader {
  /** Called before the app is loaded, if it has to be seen how. */
  watch?(): void;
  readRoute(definition: unknown): Declaration;
}

const readers: Record<string, RouteReader> = { elysia, express, fastify, h3, hapi, hono, koa, nest };

/** Reads what routes of the project's framework declare. */
export function createReader(): RouteReader {
  const reader = readers[findFramework()];
  if (!reader) throw new Error(`Nothing can read the routes of ${findFramework()}.`);
  reader.watch?.();
  return reader;
}
