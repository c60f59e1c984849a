import { docker, dockerIfPossible, dockerOrNothing } from "./engine/docker.ts";

/** An image on the engine. */
interface Image {
  Id: string;
  Config: { User?: string };
}

/** Whether an image starts as root, by any name. */
export async function isRoot({ Id, Config: { User = "" } }: Image): Promise<boolean> {
  const [name = ""] = User.split(":");
  if (name === "") return true;
  // As the engine reads it: whatever can be read as a number is one.
  if (/^[+-]?\d+$/.test(name)) return Number(name) === 0;
  return name === "root" || findUid(await readPasswd(Id), name) === 0;
}

/** The user that a container runs as: the image's own, unless that is root. */
export async function chooseUser(image: Image): Promise<string> {
  return (await isRoot(image)) ? "65532" : (image.Config.User ?? "");
}

/** The engine takes the first line with this name. */
export function findUid(passwd: string, name: string): number | undefined {
  const line = passwd.split("\n").find((one) => one.startsWith(`${name}:`));
  return line === undefined ? undefined : Number(line.split(":")[2]);
}

/** An image may have no program that could be run to tell, so a file is copied out of it. */
async function readPasswd(image: string): Promise<string> {
  const container = await docker(["create", "--network", "none", image, "true"]);
  try {
    const archive = (await dockerOrNothing(["cp", "-L", `${container}:/etc/passwd`, "-"])) ?? "";
    // Without the header of the tar.
    return archive.slice(512);
  } finally {
    await dockerIfPossible(["rm", "-v", container]);
  }
}
