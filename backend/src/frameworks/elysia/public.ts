import { Elysia } from "elysia";

/** Lets routes be declared public: `app.use(publicRoutes).get("/status", …, { isPublic: true })` needs no token. */
export const publicRoutes = new Elysia({ name: "publicRoutes" }).macro({ isPublic: (_isPublic: boolean) => ({}) });

/** For the options of a route. */
export const publicRoute = { isPublic: true };

export const isPublic = (hooks: object) => "isPublic" in hooks && hooks.isPublic === true;
