import { findRouter, type HandledRoute, type Handler, type Router } from "../../http/express.ts";
import { enter, passOn } from "./passing.ts";
import { toSureShape } from "./public-routes.ts";

/** Has everything in a router of Express check whether a request that reaches it needs a token. */
export function guardRouter(router: unknown, routes: HandledRoute[]): void {
  const { stack, params } = router as Router;
  const findOwn = (route: unknown) => routes.filter(({ inExpress }) => inExpress === route);
  for (const layer of stack) {
    const { route, handle, handleRequest } = layer;
    const own = findOwn(route);
    // It is mounted at a pattern, which is not looked into.
    for (const one of own) if (!one.takesPath) one.surelyTakes = (path) => toSureShape(one).test(path);
    const inner = findRouter(layer);
    if (inner) guardRouter(inner, routes);
    // Express passes over those that handle errors.
    else if (handle.length < 4)
      layer.handleRequest = (req, res, next) => {
        if (!mayEnter(req, own, next)) return;
        handleRequest.call(layer, req, res, (error) => {
          if (route) passOn(req, own);
          next(error);
        });
      };
  }
  // They are called before the route that has the parameter.
  for (const [name, callbacks] of Object.entries(params))
    params[name] = callbacks.map((callback) => guardParameter(callback, findOwn));
}

function guardParameter(callback: Handler, findOwn: (route: unknown) => HandledRoute[]): Handler {
  return (req: { route: unknown }, res: never, next: (error?: unknown) => void, ...rest: never[]) => {
    if (mayEnter(req, findOwn(req.route), next)) callback(req as never, res, next as never, ...rest);
  };
}

/** Express passes a problem on by `next`. */
function mayEnter(req: object, routes: HandledRoute[], next: (error: unknown) => void): boolean {
  try {
    enter(req, routes);
    return true;
  } catch (problem) {
    next(problem);
    return false;
  }
}
