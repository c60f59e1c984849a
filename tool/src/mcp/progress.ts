import type { ServerContext } from "@modelcontextprotocol/server";

export type RequestContext = Pick<ServerContext, "mcpReq">;

/** Clients give up on a call that is silent for too long. */
const silenceMs = 5000;
/** More often than this, nobody can read it. */
const paceMs = 100;

/** Sends progress of a call, if its client asked for it: each new message, and the last one again while nothing is new. */
export function createProgressLine({ mcpReq }: RequestContext) {
  const progressToken = mcpReq._meta?.progressToken;
  let progress = 0;
  let message = "Working";
  let last = 0;
  const send = () => {
    if (progressToken === undefined || mcpReq.signal.aborted) return;
    last = performance.now();
    progress++;
    // A client that is gone needs no progress.
    mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, message } }).catch(() => {});
  };
  const timer = setInterval(send, silenceMs);
  return {
    report(text: string): void {
      message = text.slice(0, 300);
      if (last === 0 || performance.now() - last > paceMs) send();
    },
    end: () => clearInterval(timer),
  };
}
