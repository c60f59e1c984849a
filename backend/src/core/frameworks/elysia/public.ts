import { Elysia } from "elysia";
import { findCaller } from "../../features/auth/auth.ts";
import { nodeRequest } from "./request.ts";

/** Lets routes be declared public: `app.use(publicRoutes).get("/status", …, { isPublic: true })` needs no token. */
export const publicRoutes = new Elysia({ name: "publicRoutes" }).macro({ isPublic: (_isPublic: boolean) => ({}) });

/** For the options of a route. */
export const publicRoute = { isPublic: true };

export const isPublic = (hooks: object) => "isPublic" in hooks && hooks.isPublic === true;

/** Gives handlers the name of the token that a request came with: `app.use(caller).get("/me", ({ caller }) => …)`. */
export const caller = new Elysia({ name: "caller" }).derive({ as: "scoped" }, ({ request }) => ({
  caller: findCaller(nodeRequest(request)),
}));
