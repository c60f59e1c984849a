import type { Plugin } from "@hapi/hapi";
import { jsonPayload, latePayload, skipPayload } from "./body.ts";
import { guardRoute, setCaller } from "./public.ts";

/** The extensions of the core. Extensions run in the order in which they are added: these come first. */
export const core: Plugin<void> = {
  name: "core",
  register(server) {
    server.ext("onRequest", setCaller);
    server.ext("onRequest", skipPayload);
    server.ext("onPreAuth", guardRoute);
    server.ext("onPreAuth", jsonPayload);
    server.ext("onCredentials", latePayload);
  },
};
