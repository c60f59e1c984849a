import type { H3Event } from "h3";

/** Answers with JSON text: h3 itself sends a string as plain text. */
export function sendJson(event: H3Event, text: string): string {
  event.res.headers.set("Content-Type", "application/json");
  return text;
}
