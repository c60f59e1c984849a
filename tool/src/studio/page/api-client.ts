import type { Problem } from "../api.ts";

/** A failure that the server describes. */
export class ProblemError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail);
    this.problem = problem;
  }
}

export function getJson<T>(path: string): Promise<T> {
  return fetchJson(path, {});
}

export function postJson<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
  const headers = { "Content-Type": "application/json" };
  return fetchJson(path, { method: "POST", headers, body: JSON.stringify(body), ...(signal ? { signal } : {}) });
}

export async function remove(path: string): Promise<void> {
  await fetchJson(path, { method: "DELETE" });
}

async function fetchJson<T>(path: string, options: RequestInit): Promise<T> {
  const response = await fetch(path, { ...options, credentials: "same-origin" });
  const text = await response.text();
  const isJson = /\bjson\b/.test(response.headers.get("Content-Type") ?? "");
  if (response.ok) return (text === "" ? undefined : JSON.parse(text)) as T;
  if (isJson) throw new ProblemError(JSON.parse(text));
  throw new Error(`The studio answered ${response.status}.`);
}

/** The message for a person. */
export function explain(error: unknown): string {
  if (error instanceof TypeError) return "The studio does not answer. Is it still running?";
  return error instanceof Error ? error.message : String(error);
}
