import type { Context } from "elysia";

/** Answers with JSON text, which typed clients read as a value of the type. */
export function sendJson<T>(set: Context["set"], text: string): T {
  set.headers["content-type"] = "application/json";
  return text as T;
}
