import { toListener } from "../../core/frameworks/elysia/listener.ts";
import type { Parts } from "../../parts.ts";
import { createApp } from "./app.ts";

/** The app as the server calls it. */
export const createListener = (parts: Parts) => toListener(createApp(parts), parts);
