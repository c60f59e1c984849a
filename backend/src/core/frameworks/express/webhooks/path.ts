import type { Request } from "express";

/** Whether a route of webhooks itself reads the raw bytes of a request, which are signed. */
export const isWebhook = ({ path }: Request) => path.startsWith("/webhooks/");
