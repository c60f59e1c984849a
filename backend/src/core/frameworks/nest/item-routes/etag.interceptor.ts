import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  UseInterceptors,
} from "@nestjs/common";
import type { Request, Response } from "express";
import { map, tap } from "rxjs";
import { expectMatch, isCached } from "../../../conditions.ts";
import type { EditorResult } from "../../../features/item-routes/editor.ts";
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
export const AddsLocation = () => UseInterceptors(CreatedInterceptor);

@Injectable()
class CreatedInterceptor implements NestInterceptor<object | string> {
  intercept(context: ExecutionContext, next: CallHandler<object | string>) {
    const [req, res] = readContext(context);
    return next.handle().pipe(tap((item) => res.set(headersOfNew(req.originalUrl, toText(item)))));
  }
}

/** Services of 0.1.0 return JSON. */
const toText = (item: object | string) => (typeof item === "string" ? item : JSON.stringify(item));

/** @deprecated For resources of 0.1.0, whose methods return the editor's answers. Write `EtagInterceptor`. */
export class AnswerInterceptor implements NestInterceptor<EditorResult, object | null> {
  intercept(context: ExecutionContext, next: CallHandler<EditorResult>) {
    const [, res] = readContext(context);
    return next.handle().pipe(
      map(({ status, headers, body }) => {
        res.status(status).set(headers);
        return body && JSON.parse(body);
      }),
    );
  }
}

function readContext(context: ExecutionContext) {
  const http = context.switchToHttp();
  return [http.getRequest<Request>(), http.getResponse<Response>()] as const;
}
