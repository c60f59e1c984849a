export interface Fetched {
  status: number;
  statusText: string;
  headers: Headers;
  /** The first part of the body, up to the limit. */
  text: string;
}

interface Limits {
  timeoutMs?: number;
  mostBytes?: number;
}

/** Fetches a URL that may belong to anyone: neither a slow answer nor an endless one is waited for. */
export async function fetchText(
  url: string | URL,
  init: RequestInit = {},
  { timeoutMs = 30_000, mostBytes = 65_536 }: Limits = {},
): Promise<Fetched> {
  const signal = AbortSignal.timeout(timeoutMs);
  const response = await fetch(url, { redirect: "manual", ...init, signal });
  const { status, statusText, headers } = response;
  return { status, statusText, headers, text: await readFirstPart(response, mostBytes) };
}

async function readFirstPart({ body }: Response, mostBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop closes the connection.
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= mostBytes) break;
  }
  return Buffer.concat(chunks).toString("utf8", 0, mostBytes);
}

/** Why a fetch failed, in a word or two. */
export function explainFailure(error: unknown): string {
  const { name, message, cause } = error as Error & { cause?: { code?: string; message?: string } };
  if (name === "TimeoutError") return "no answer in time";
  return cause?.code ?? cause?.message ?? message;
}
