import { readFileSync } from "node:fs";
import { HttpFault } from "./http.ts";

/** The two ends of a connection on this machine, as this end sees them. */
export interface Ends {
  localPort?: number | undefined;
  remotePort?: number | undefined;
}

/**
 * Refuses a connection of another user of this machine. The program that opens the browser has the address among its
 * arguments, where all users can read it, so a token alone does not prove whose browser this is.
 */
export function refuseOtherUsers(ends: Ends): void {
  const others = readTables()
    .flatMap((table) => findUsers(table, ends))
    .filter((user) => !listOwnUsers().includes(user));
  if (others.length === 0) return;
  throw new HttpFault({
    status: 403,
    code: "other_user",
    detail: "Another user of this machine started this studio. Start your own with dory studio.",
  });
}

/** The users that own the other end of a connection, by a table in the format of /proc/net/tcp. */
export function findUsers(table: string, { localPort = 0, remotePort = 0 }: Ends): number[] {
  return table
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([, own = "", other = ""]) => readPort(own) === remotePort && readPort(other) === localPort)
    .map((columns) => Number(columns[7]));
}

const readPort = (address: string) => Number.parseInt(address.split(":")[1] ?? "", 16);

/** Only Linux has them. Elsewhere no other user can read the address. */
function readTables(): string[] {
  return ["/proc/net/tcp", "/proc/net/tcp6"].map((path) => {
    try {
      return readFileSync(path, "utf8");
    } catch {
      return "";
    }
  });
}

/** The user of this process, root, and who called sudo. */
function listOwnUsers(): number[] {
  return [process.getuid?.() ?? 0, 0, Number(process.env["SUDO_UID"] ?? 0)];
}
