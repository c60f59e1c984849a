import { hasFeature } from "../project.ts";
import { credentials } from "../suite/auth/tokens.ts";

// biome-ignore lint/suspicious/noExplicitAny: a test knows what it asked for
type Json = any;

/** Sends a request with JSON to a backend, as a client would. An answer that is not JSON is returned as text. */
export async function ask(
  url: string,
  method: string,
  path: string,
  json?: unknown,
): Promise<{ status: number; body: Json }> {
  const headers: Record<string, string> = { "Content-Type": "application/json" };
  if (hasFeature("auth")) Object.assign(headers, credentials);
  const response = await fetch(url + path, {
    method,
    headers,
    ...(json !== undefined && { body: JSON.stringify(json) }),
  });
  const text = await response.text();
  const isJson = /^application\/(.+\+)?json\b/.test(response.headers.get("content-type") ?? "");
  return { status: response.status, body: isJson ? JSON.parse(text) : text };
}
