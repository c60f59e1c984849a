import type { Request } from "express";

export const webhooksPath = "webhooks";

/** Whether the controller reads the bytes of a request itself, as they were signed. */
export const isWebhook = ({ path }: Request) => path.startsWith(`/${webhooksPath}/`);
