import type { Request } from "express";

export const webhooksPath = "webhooks";

/** Whether the controller itself reads the raw bytes of a request, which are signed. */
export const isWebhook = ({ path }: Request) => path.startsWith(`/${webhooksPath}/`);
