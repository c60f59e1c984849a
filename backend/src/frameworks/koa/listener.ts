import "../../core/frameworks/koa/adopt.ts";
import { toListener } from "../../core/frameworks/koa/listener.ts";
import type { Parts } from "../../parts.ts";
import { createApp } from "./app.ts";

/** The app as the server calls it. */
export const createListener = (parts: Parts) => toListener(createApp(parts));
