import { Controller, Inject, Post, Req, Res } from "@nestjs/common";
import type { Request, Response } from "express";
import { type Source, sourceNames } from "../../../features/webhooks/sources.ts";
import type { CoreParts } from "../../../start.ts";
import { PARTS } from "../connect.ts";
import { Public } from "../public.ts";
import { BodyLimit, UnreadBody } from "../request.ts";

@Controller("webhooks")
export class WebhooksController {
  constructor(@Inject(PARTS) private readonly parts: CoreParts) {}

  /** A route for each source. */
  @Post(sourceNames)
  @BodyLimit(({ webhooks }) => webhooks.bodyLimitBytes)
  @UnreadBody()
  @Public()
  async receive(@Req() req: Request, @Res({ passthrough: true }) res: Response) {
    const source = req.path.slice(req.path.lastIndexOf("/") + 1) as Source;
    const { status, body } = await this.parts.webhooks.receive(source, req);
    res.status(status);
    return body;
  }
}
