import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from "@nestjs/common";
import type { Response } from "express";
import { map } from "rxjs";
import type { EditorResult } from "../../../features/item-routes/editor.ts";

/** Sends the answer that a method returns: status, headers and JSON, which other interceptors get as an object. */
@Injectable()
export class AnswerInterceptor implements NestInterceptor<EditorResult, object | null> {
  intercept(context: ExecutionContext, next: CallHandler<EditorResult>) {
    const res = context.switchToHttp().getResponse<Response>();
    return next.handle().pipe(
      map(({ status, headers, body }) => {
        res.status(status).set(headers);
        return body && JSON.parse(body);
      }),
    );
  }
}
