import { toListener } from "../../core/frameworks/fastify/listener.ts";
import type { Parts } from "../../parts.ts";
import { createApp } from "./app.ts";

/** The app as the server calls it. */
export const createListener = async (parts: Parts) => toListener(await createApp(parts));
