import type { ServerContext } from "@modelcontextprotocol/server";

export type RequestContext = Pick<ServerContext, "mcpReq">;

/** Clients give up on a call that is silent for too long. */
const silenceMs = 5000;
/** Numbers that grow more often than this cannot be read. */
const paceMs = 100;

/** Sends progress of a call, if its client asked for it: each new message, and the last one again while nothing is new. */
export function createProgressLine({ mcpReq }: RequestContext) {
  const progressToken = mcpReq._meta?.progressToken;
  let progress = 0;
  let message = "Working";
  let [last, lastWords] = [0, ""];
  let sending: Promise<unknown> = Promise.resolve();
  const send = () => {
    if (progressToken === undefined || mcpReq.signal.aborted) return;
    [last, lastWords] = [performance.now(), toWords(message)];
    progress++;
    const sent = mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, message } });
    // A client that is gone needs no progress.
    sending = Promise.all([sending, sent.catch(() => {})]);
  };
  const timer = setInterval(send, silenceMs);
  return {
    report(text: string): void {
      message = text.slice(0, 300);
      if (toWords(message) !== lastWords || performance.now() - last > paceMs) send();
    },
    /** After it, the result is sent: a client knows no progress of a call that has ended. */
    async end(): Promise<void> {
      clearInterval(timer);
      await sending;
    },
  };
}

const toWords = (message: string) => message.replace(/\d+/g, "");
