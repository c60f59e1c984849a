import { Module } from "@nestjs/common";
import { WebhooksModule } from "../../core/frameworks/nest/webhooks/webhooks.module.ts";
import { ItemsModule } from "./items/items.module.ts";

/** The modules of the resources and features. Import your own in `app.module.ts`: this file changes when one is added. */
@Module({
  imports: [
    // One module for each folder.
    ItemsModule,
    WebhooksModule,
  ],
})
export class AppRoutesModule {}
