export const frameworks = ["elysia", "express", "fastify", "h3", "hapi", "hono", "koa", "nest"] as const;

export type Framework = (typeof frameworks)[number];
