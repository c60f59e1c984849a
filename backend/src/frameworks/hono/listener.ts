import { toListener } from "../../core/frameworks/hono/listener.ts";
import type { CreateListener } from "../../core/parts.ts";
import { createApp } from "./app.ts";

/** The app as the server calls it. */
export const createListener: CreateListener = (parts) => toListener(createApp(parts));
