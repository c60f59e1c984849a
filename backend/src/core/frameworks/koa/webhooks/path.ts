import type { Context } from "koa";

/** Whether a route of webhooks itself reads the raw bytes of a request, which are signed. */
export const isWebhook = ({ path }: Pick<Context, "path">) => path.startsWith("/webhooks/");
