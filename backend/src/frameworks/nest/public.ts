import { declare } from "./metadata.ts";

export const publicKey = "isPublic";

/** Declares a route or a controller public: `@Public() @Get("status") …` needs no token. */
export const Public = () => declare(publicKey, true);
