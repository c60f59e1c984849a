import { unauthorized } from "../../../src/core/features/auth/auth.ts";
import type { Feature } from "../feature.ts";

export const auth: Feature = {
  guard: {
    securitySchemes: { bearer: { type: "http", scheme: "bearer" } },
    problems: [unauthorized("Send one Authorization header: Bearer and a token of this API.")],
    isLifted: ({ isPublic }) => isPublic === true,
  },
};
