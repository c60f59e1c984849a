import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  UseInterceptors,
} from "@nestjs/common";
import type { Request, Response } from "express";
import { tap } from "rxjs";
import { expectMatch, isCached } from "../../../conditions.ts";
import { headersOfNew, toEtag } from "../../../features/item-routes/etag.ts";
import { readConditions } from "../../../resource.ts";

/** Adds the `ETag` of the item that a method returns. A client that has read this item already gets 304. */
@Injectable()
export class EtagInterceptor implements NestInterceptor<object | undefined> {
  intercept(context: ExecutionContext, next: CallHandler<object | undefined>) {
    const [req, res] = readContext(context);
    const isRead = req.method === "GET" || req.method === "HEAD";
    const conditions = isRead ? readConditions(req) : undefined;
    return next.handle().pipe(
      tap((item) => {
        if (!item) return;
        const tag = toEtag(JSON.stringify(item));
        if (conditions) expectMatch(conditions, tag);
        res.set("ETag", tag);
        if (conditions && isCached(conditions, tag)) res.status(304);
      }),
    );
  }
}

/** For a method that creates an item: adds `Location` and `ETag` to the answer. */
export const AddsLocation = () => UseInterceptors(LocationInterceptor);

@Injectable()
class LocationInterceptor implements NestInterceptor<object> {
  intercept(context: ExecutionContext, next: CallHandler<object>) {
    const [req, res] = readContext(context);
    return next.handle().pipe(tap((item) => res.set(headersOfNew(req.originalUrl, JSON.stringify(item)))));
  }
}

function readContext(context: ExecutionContext) {
  const http = context.switchToHttp();
  return [http.getRequest<Request>(), http.getResponse<Response>()] as const;
}
