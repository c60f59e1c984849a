import type { Parts } from "../../config.ts";
import { toListener } from "../../core/frameworks/elysia/connect.ts";
import { createApp } from "./app.ts";

/** The app as the server calls it. */
export const createListener = (parts: Parts) => toListener(createApp(parts), parts);
