import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  UseInterceptors,
} from "@nestjs/common";
import type { Request, Response } from "express";
import { tap } from "rxjs";
import { headersOfNew } from "../../../features/item-routes/etag.ts";

/** For a method that creates an item: adds `Location` and `ETag` to the answer. */
export const AddsLocation = () => UseInterceptors(CreatedInterceptor);

@Injectable()
class CreatedInterceptor implements NestInterceptor<object | string> {
  intercept(context: ExecutionContext, next: CallHandler<object | string>) {
    const http = context.switchToHttp();
    const [req, res] = [http.getRequest<Request>(), http.getResponse<Response>()];
    return next.handle().pipe(tap((item) => res.set(headersOfNew(req.originalUrl, toText(item)))));
  }
}

/** Services of 0.1.0 return JSON. */
const toText = (item: object | string) => (typeof item === "string" ? item : JSON.stringify(item));
