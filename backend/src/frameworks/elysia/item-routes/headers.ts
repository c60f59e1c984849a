import type { ServerRequest } from "srvx";

/** Sets headers before the answer is created. */
export function setHeaders(request: Request, headers: Record<string, string>): void {
  const res = (request as ServerRequest).runtime?.node?.res;
  for (const [name, value] of Object.entries(headers)) res?.setHeader(name, value);
}
