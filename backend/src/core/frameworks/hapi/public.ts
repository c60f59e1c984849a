import type { AppCredentials, Lifecycle, Request, RequestRoute, ResponseToolkit, Server } from "@hapi/hapi";
import { findCaller, unauthorized } from "../../features/auth/auth.ts";
import { enter } from "../../features/auth/passing.ts";
import { HttpRequest } from "../../http/request.ts";
import type { AppServer } from "../../http/server.ts";

declare module "@hapi/hapi" {
  // Inherited, so that an app may declare its own members of these names.
  interface AppCredentials extends TokenCredentials {}
  interface RequestApplicationState extends TokenState {}
}

interface TokenCredentials {
  /** The name of the token that a request came with. */
  name?: string | undefined;
}

interface TokenState {
  /** The name of the token that a request came with. */
  caller?: string | undefined;
}

/** For the `options` of a route. */
export const publicRoute = { auth: false } as const;

/** A route is declared public by `options: { auth: false }`: it needs no token. */
export function isPublic({ settings }: RequestRoute): boolean {
  return (settings.auth as unknown) === false;
}

/** Whether a route depends on the host. */
export const isConditional = ({ vhost }: RequestRoute) => vhost !== undefined;

/** hapi's strategy for the tokens of this API: the default, unless the app sets another. */
export function addStrategy(server: Server): void {
  server.auth.scheme(strategy, () => ({ authenticate }));
  server.auth.strategy(strategy, strategy);
  server.ext("onPreStart", () => {
    if (!server.auth.settings.default) server.auth.default(strategy);
  });
}

const strategy = "token";

function authenticate({ raw: { req }, server }: Request, h: ResponseToolkit) {
  // The server has compared the token, except for public routes.
  if (req instanceof HttpRequest) req.requireToken?.();
  else authenticateInjected(req, server.listener as AppServer);
  const app: TokenCredentials = { name: findCaller(req) };
  return h.authenticated({ credentials: { app: app as AppCredentials } });
}

/** A strategy in mode `try` lets a request pass that it does not know; the server does not. */
export const guardInjected: Lifecycle.Method = ({ auth, raw: { req }, server }, h) => {
  const isUnknown = auth.mode !== null && !auth.isAuthenticated;
  if (isUnknown && !(req instanceof HttpRequest)) authenticateInjected(req, server.listener as AppServer);
  return h.continue;
};

/** What code injects may have come in a WebSocket's message, past the server. */
function authenticateInjected(req: object, { requireToken }: AppServer): void {
  if (!requireToken) throw unauthorized("Inject this request with `auth`: its credentials.");
  requireToken(req);
}

/** Sets `request.app.caller`. */
export const setCaller: Lifecycle.Method = ({ app, raw }, h) => {
  const state: TokenState = app;
  state.caller = findCaller(raw.req);
  return h.continue;
};

/** Checks whether a request needs a token at the route that it reaches: `request.setUrl()` may have changed its path. */
export const guardRoute: Lifecycle.Method = ({ route, raw }, h) => {
  enter(raw.req, [{ method: "*", pattern: route.path, isPublic: isPublic(route) }]);
  return h.continue;
};
