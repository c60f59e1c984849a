export const frameworks = ["elysia", "express", "fastify", "h3", "hapi", "hono", "koa", "nest"] as const;
