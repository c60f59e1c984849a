import { type DynamicModule, Module } from "@nestjs/common";
import { APP_FILTER, APP_PIPE } from "@nestjs/core";
import type { Parts } from "../../config.ts";
import { HealthController, PartsModule, ProblemFilter } from "../../core/frameworks/nest/connect.ts";
import { SchemaPipe } from "../../core/frameworks/nest/request.ts";
import { AppRoutesModule } from "./app-routes.module.ts";

@Module({
  imports: [
    AppRoutesModule,
    // Add your own modules here.
  ],
  controllers: [HealthController],
  providers: [
    { provide: APP_PIPE, useClass: SchemaPipe },
    // Nest asks the last filter first: one that you add below, or in a module, gets an error before this one.
    { provide: APP_FILTER, useClass: ProblemFilter },
  ],
})
export class AppModule {
  static forRoot(parts: Parts): DynamicModule {
    return { module: AppModule, imports: [PartsModule.forRoot(parts)] };
  }
}
