import type { Answer, Scripted } from "./stand-in.ts";

/** An engine that builds and pushes everything. */
export function answer(args: string[], _: string, __: Scripted): Answer {
  const command = args.slice(0, 2).join(" ");
  if (args[0] === "version") return { stdout: "1.41 arm64 20.10.24 linux" };
  if (["build", "tag", "push", "images"].includes(args[0] ?? "")) return {};
  if (command === "image inspect") {
    const digests = [`registry.example.com/shop@sha256:${"a".repeat(64)}`];
    const image = { Id: `sha256:${"1".repeat(64)}`, RepoDigests: digests, Config: { User: "65532" } };
    return { stdout: JSON.stringify([image]) };
  }
  return { code: 1, stderr: `unknown command ${command}` };
}
