declare module "koa-pino-logger" {
  import type { Middleware } from "koa";

  export default function logger(): Middleware;
}
