import type { Parts } from "../../config.ts";
import { toListener } from "../../core/frameworks/express/listener.ts";

// Imported after what changes Express: a router may be created when the file that contains it is imported.

import { createApp } from "./app.ts";

/** The app as the server calls it. */
export const createListener = (parts: Parts) => toListener(createApp(parts));
