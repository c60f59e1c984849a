import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { execute } from "../execute.ts";
import { Fault } from "../fault.ts";
import { schemaOf } from "../print/openapi.ts";
import type { Service } from "./application.ts";
import { findContainer, hardened, imageOf, keepSecrets, lastLines, waitForHealth } from "./engine/container.ts";
import { docker, dockerOrNothing } from "./engine/docker.ts";
import type { Secrets } from "./secrets.ts";

/** Runs an image as it will run, on data of its own that is thrown away, and holds it against the contract. */
export async function smoke(
  service: Service,
  image: string,
  secrets: Secrets,
  update: (text: string) => void,
): Promise<void> {
  const name = `dory-smoke-${randomBytes(4).toString("hex")}`;
  try {
    await docker(["network", "create", name]);
    const own = { ...secrets, ...(await throwaway(service, name)) };
    await keepSecrets(name, own, name);
    await docker([
      "run",
      "-d",
      "--name",
      name,
      ...(await circumstances(service, image, name, Object.keys(own))),
      image,
    ]);
    await waitForHealth(name, 30_000, update);
    if (service.request) await judge(service.request, image, name);
    await endsWell(name);
  } finally {
    await Promise.all([name, `${name}-database`].map((container) => dockerOrNothing(["rm", "-f", "-v", container])));
    await Promise.all([dockerOrNothing(["volume", "rm", "-f", name]), dockerOrNothing(["network", "rm", name])]);
  }
}

async function circumstances(service: Service, image: string, name: string, secrets: string[]): Promise<string[]> {
  const { Config } = await imageOf(image);
  const env = { ...service.env, HEADERS_TIMEOUT_MS: "1000", REQUEST_TIMEOUT_MS: "2000" };
  return [
    ...[...hardened, "--user", Config.User || "65532", "--network", name, "-v", `${name}:/run/secrets:ro`],
    ...Object.entries(env).flatMap(([name, value]) => ["-e", `${name}=${value}`]),
    ...secrets.flatMap((secret) => ["-e", `${secret}_FILE=/run/secrets/${secret}`]),
  ];
}

/** Stands in for what must not be touched by a trial: the database, and the tokens that open it. */
async function throwaway({ request, secrets }: Service, name: string): Promise<Secrets> {
  const random = randomBytes(24).toString("hex");
  const own: Secrets = secrets.includes("API_TOKENS") ? { API_TOKENS: random } : {};
  if (!request || (request.database !== "postgres" && !secrets.includes("DATABASE_URL"))) return own;
  if (request.database !== "postgres") return { ...own, DATABASE_URL: "file:./data/items.db" };
  const env = { ...process.env, POSTGRES_PASSWORD: random };
  const database = ["--name", `${name}-database`, "--network", name, "--network-alias", "database"];
  await docker(["run", "-d", ...database, "-e", "POSTGRES_PASSWORD", "postgres:18"], { env });
  return { ...own, DATABASE_URL: `postgres://postgres:${random}@database:5432/postgres` };
}

/** The conformance suite, in a container that shares the network of the one that is judged. */
async function judge(request: NonNullable<Service["request"]>, image: string, name: string): Promise<void> {
  const suite = readFileSync(join(import.meta.dirname, "suite.js"), "utf8");
  const subject = { item: schemaOf(request.fields) };
  const place = ["--rm", "-i", "--network", `container:${name}`, "--read-only", "--cap-drop", "ALL"];
  const args = ["run", ...place, "--entrypoint", "/nodejs/bin/node", image, "--input-type=module", "-"];
  const input = `globalThis.subject = ${JSON.stringify(subject)};\n${suite}`;
  const { code, stdout, stderr } = await execute("docker", args, { input, timeoutMs: 120_000 });
  if (code === 0) return;
  throw new Fault(
    "smoke_contract",
    `The image runs, but does not keep the contract:\n${(stdout || stderr).trim().split("\n").slice(0, 20).join("\n")}`,
  );
}

async function endsWell(name: string): Promise<void> {
  await docker(["stop", "-t", "12", name]);
  const found = await findContainer(name);
  if (found?.State.ExitCode === 0) return;
  throw new Fault(
    "smoke_stop",
    `On SIGTERM the image ended with exit code ${found?.State.ExitCode}, not 0. Its log:\n${await lastLines(name)}`,
  );
}
