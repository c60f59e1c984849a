import { spawn } from "node:child_process";

/** Opens the address in the browser of this machine. False if there is none. */
export function openBrowser(address: string): Promise<boolean> {
  const [program, args] = findOpener(address);
  if (process.platform === "linux" && !process.env["DISPLAY"] && !process.env["WAYLAND_DISPLAY"])
    return Promise.resolve(false);
  const child = spawn(program, args, { detached: true, stdio: "ignore" });
  child.unref();
  return new Promise((resolve) => {
    child.once("error", () => resolve(false));
    child.once("exit", (code) => resolve(code === 0));
    // A program that goes on is the browser itself.
    setTimeout(resolve, 2000, true).unref();
  });
}

function findOpener(address: string): [program: string, args: string[]] {
  if (process.platform === "darwin") return ["open", [address]];
  if (process.platform === "win32") return ["rundll32", ["url.dll,FileProtocolHandler", address]];
  return ["xdg-open", [address]];
}
