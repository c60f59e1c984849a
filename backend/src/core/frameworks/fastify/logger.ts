import { type LogLevel, toMembers, write } from "../../log.ts";

/** As Fastify's types have it. */
type Serialized = Record<"type" | "message" | "stack", string> & Record<string, unknown>;

/** Options of pino, for `app.log` and `request.log`: their lines go to the log of the server, and look like its own. */
export function loggerOptions(level: LogLevel) {
  return {
    level,
    base: null,
    messageKey: "message",
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: {
      err: toMembers as (error: unknown) => Serialized,
      // Headers and the query are never logged.
      req: ({ method }: { method: string }) => ({ method }),
      res: ({ statusCode }: { statusCode: number }) => ({ statusCode }),
    },
    stream: { write },
  };
}
