import type { Feature } from "../feature.ts";

/** The header that pages of other origins look for. */
export const originHeader = "Access-Control-Allow-Origin";

export const cors: Feature = {
  headers: {
    [originHeader]: {
      description: "The origin of the page that asked, if it is one of CORS_ORIGINS",
      schema: { type: "string" },
    },
  },
};
