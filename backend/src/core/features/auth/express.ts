import { findRouter, type HandledRoute, type Router } from "../../http/express.ts";
import { enter, passOn } from "./passing.ts";

/** Has everything in a router of Express check whether a request that reaches it needs a token. */
export function guardRouter(router: unknown, routes: HandledRoute[]): void {
  for (const layer of (router as Router).stack) {
    const { route, handle, handleRequest } = layer;
    const own = routes.filter(({ inExpress }) => inExpress === route);
    const inner = findRouter(layer);
    if (inner) guardRouter(inner, routes);
    // Express passes over those that handle errors.
    else if (handle.length < 4)
      layer.handleRequest = (req, res, next) => {
        try {
          enter(req, own);
        } catch (problem) {
          next(problem);
          return;
        }
        handleRequest.call(layer, req, res, (error) => {
          if (route) passOn(req, own);
          next(error);
        });
      };
  }
}
