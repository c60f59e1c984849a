import "../../core/frameworks/nest/adopt.ts";
import { toListener } from "../../core/frameworks/nest/listener.ts";
import type { CreateListener } from "../../core/parts.ts";
import { createApp } from "./app.ts";

/** The app as the server calls it. */
export const createListener: CreateListener = async (parts) => toListener(await createApp(parts), parts);
