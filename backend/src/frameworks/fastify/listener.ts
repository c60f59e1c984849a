import type { Parts } from "../../config.ts";
import { toListener } from "../../core/frameworks/fastify/connect.ts";
import { createApp } from "./app.ts";

/** The app as the server calls it. */
export const createListener = async (parts: Parts) => toListener(await createApp(parts));
