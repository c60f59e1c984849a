import assert from "node:assert/strict";
import { Client, type ClientOptions } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { bin } from "../dory.ts";

/** Both eras of the protocol: with a handshake at the beginning, and with a version in each request. */
export const eras = ["2025-11-25", "2026-07-28"] as const;

export interface Answer {
  isError: boolean;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: the result of any tool
  value: any;
}

export interface CallOptions {
  signal?: AbortSignal;
  onProgress?: (message: string) => void;
}

/** A client of `dory mcp`, which runs in a folder as a process of its own. */
export class Assistant {
  readonly client: Client;
  readonly transport: StdioClientTransport;
  /** What was on stdout and is not the protocol. */
  readonly noise: string[] = [];
  stderr = "";

  private constructor(era: (typeof eras)[number], transport: StdioClientTransport) {
    const mode = era === "2026-07-28" ? { pin: era } : "legacy";
    const options: ClientOptions = { versionNegotiation: { mode } };
    this.client = new Client({ name: "test", version: "1.0.0" }, options);
    this.client.onerror = ({ message }) => {
      // It was on its way when the call was cancelled, or it came with the result, which this client reads first.
      const isLate = message.includes("progress notification for an unknown token");
      if (!isLate) this.noise.push(message);
    };
    this.transport = transport;
    transport.stderr?.on("data", (text) => (this.stderr += text));
  }

  static async start(era: (typeof eras)[number], cwd: string, flags: string[] = []): Promise<Assistant> {
    const env = Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name, value ?? ""]));
    const command = { command: process.execPath, args: [bin, "mcp", ...flags], cwd, env, stderr: "pipe" as const };
    const assistant = new Assistant(era, new StdioClientTransport(command));
    await assistant.client.connect(assistant.transport);
    assert.equal(assistant.client.getNegotiatedProtocolVersion(), era);
    assistant.#watchOrder();
    return assistant;
  }

  /** On the wire, no progress follows the result of its call. */
  #watchOrder(): void {
    const answered = new Set<unknown>();
    const { onmessage } = this.transport;
    this.transport.onmessage = (message) => {
      if ("id" in message && !("method" in message)) answered.add(message.id);
      const token = "params" in message && message.params?.["progressToken"];
      if (answered.has(token)) this.noise.push(`progress after the result: ${JSON.stringify(message)}`);
      onmessage?.(message);
    };
  }

  async call(name: string, input: object = {}, { signal, onProgress }: CallOptions = {}): Promise<Answer> {
    const result = await this.client.callTool(
      { name, arguments: { ...input } },
      {
        ...(signal && { signal }),
        ...(onProgress && { onprogress: ({ message }: { message?: string | undefined }) => onProgress(message ?? "") }),
        timeout: 300_000,
      },
    );
    const [content] = result.content as { type: string; text: string }[];
    const answer = { isError: result.isError === true, text: content?.text ?? "", value: result.structuredContent };
    if (!answer.isError) assert.deepEqual(JSON.parse(answer.text), answer.value, "the text is the same");
    return answer;
  }

  /** Calls a tool that must succeed. */
  // biome-ignore lint/suspicious/noExplicitAny: the result of any tool
  async do(name: string, input: object = {}, options: CallOptions = {}): Promise<any> {
    const { isError, text, value } = await this.call(name, input, options);
    assert.ok(!isError, text);
    return value;
  }

  /** Calls a tool that must fail; returns what it says. */
  async refuse(name: string, input: object = {}): Promise<string> {
    const { isError, text } = await this.call(name, input);
    assert.ok(isError, text);
    return text;
  }

  async end(): Promise<void> {
    await this.client.close();
    assert.deepEqual(this.noise, []);
  }
}
