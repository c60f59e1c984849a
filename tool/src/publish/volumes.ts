import { execute } from "../execute.ts";

/** The paths at which an image keeps data: those it declares, or known ones if it is not on the engine. */
export async function findVolumes(image: string): Promise<string[]> {
  const args = ["image", "inspect", "--format", "{{json .Config.Volumes}}", image];
  const { code, stdout } = await execute("docker", args, { timeoutMs: 20_000 });
  return code === 0 ? Object.keys(JSON.parse(stdout) ?? {}) : findKnownVolumes(image);
}

/** The paths of well-known images. */
export function findKnownVolumes(image: string): string[] {
  const [, name = "", version] = /([^/:@]+)(?::(\d+)[^/]*|:[^/]*)?(?:@.*)?$/.exec(image.replace(/@.*$/, "")) ?? [];
  if (name === "postgres") return [Number(version ?? 18) < 18 ? "/var/lib/postgresql/data" : "/var/lib/postgresql"];
  const path = known[name];
  return path === undefined ? [] : [path];
}

const known: Record<string, string> = {
  mariadb: "/var/lib/mysql",
  mongo: "/data/db",
  mysql: "/var/lib/mysql",
  redis: "/data",
  valkey: "/data",
};
