import { execFileSync } from "node:child_process";
import { basename, dirname } from "node:path";
import { compareInTurns } from "../comparison.ts";
import type { Measure } from "../measure.ts";
import { findFreePort, required, Server } from "../server.ts";

/** From `docker run` to the first healthy answer, compared with a container of bare node:http on the same base. */
export const container: Measure = {
  name: "container",
  title: "docker run to the first 200, to bare node:http",
  unit: "ms",
  goal: () => ({ atMost: 1.3 }),
  async take({ plan, bundles }) {
    const [ours, bare] = [buildImage(bundles.backend), buildImage(bundles.bare)];
    try {
      return await compareInTurns(
        plan.makings,
        () => timeStart(ours),
        () => timeStart(bare),
      );
    } finally {
      execFileSync("docker", ["rmi", "-f", ours, bare], { stdio: "ignore" });
    }
  },
};

/** Whether there is an engine; without one this measure is left out. */
export function hasEngine(): boolean {
  try {
    execFileSync("docker", ["version"], { stdio: "ignore", timeout: 20_000 });
    return true;
  } catch {
    return false;
  }
}

function buildImage(bundle: string): string {
  const dockerfile = `FROM gcr.io/distroless/nodejs26-debian13:nonroot
WORKDIR /tmp
COPY ${basename(bundle)} /app/main.cjs
ENV NODE_ENV=production
CMD ["/app/main.cjs"]
`;
  const args = ["build", "-q", "-t", `bench-${basename(bundle, ".cjs")}`, "-f", "-", dirname(bundle)];
  execFileSync("docker", args, { input: dockerfile });
  return `bench-${basename(bundle, ".cjs")}`;
}

async function timeStart(image: string): Promise<number> {
  const port = await findFreePort();
  const name = `bench-${port}`;
  const run = ["docker", "run", "--rm", "--name", name, "-p", `127.0.0.1:${port}:3000`];
  const settings = [...Object.keys(required), "PORT=3000", "HOST=0.0.0.0"].flatMap((setting) => ["-e", setting]);
  const { startMs } = await Server.startWith([...run, ...settings, image], port, "/health");
  execFileSync("docker", ["rm", "-f", name], { stdio: "ignore" });
  return startMs;
}
