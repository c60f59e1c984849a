import { type Declaration, pickText } from "../../declaration.ts";

interface Definition {
  handler: { validate?: Declaration & { onError?: (result: { issues: [] }) => { status?: number } } };
  meta?: Pick<Declaration, "body" | "answers"> & { openAPI?: object };
}

/** `h3/tracing` puts functions that declare nothing in place of handlers. Without this module of Node, it changes nothing. */
export function watch(): void {
  const { getBuiltinModule } = process;
  process.getBuiltinModule = (name: string) =>
    name === "diagnostics_channel" ? undefined : getBuiltinModule.call(process, name);
}

/** What `defineValidatedHandler` and the `meta` of a route declare. */
export function readRoute(definition: unknown): Declaration {
  const { handler, meta = {} } = definition as Definition;
  const { body, query, headers, onError } = handler.validate ?? {};
  const refusal = body === undefined ? 422 : onError?.({ issues: [] })?.status;
  return { body: body ?? meta.body, query, headers, refusal, answers: meta.answers, text: pickText(meta.openAPI) };
}
