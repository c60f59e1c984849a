import type { Feature } from "../feature.ts";

/** The header that browsers need to show the answer to pages of other origins. */
export const originHeader = "Access-Control-Allow-Origin";

export const cors: Feature = {
  headers: {
    [originHeader]: {
      description: "The origin of the requesting page, if it is one of CORS_ORIGINS",
      schema: { type: "string" },
    },
  },
};
