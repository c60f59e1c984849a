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

/** As the engine: it takes the first line with this name, also an indented one, and what is no number is 0. */
export function findUid(passwd: string, name: string): number | undefined {
  const lines = passwd.split("\n").map((line) => line.trim().split(":"));
  const found = lines.find(([own]) => own === name);
  return found && (/^\d+$/.test(found[2] ?? "") ? Number(found[2]) : 0);
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
