import { spawn } from "node:child_process";
import type { ProgramWatcher } from "../execute.ts";

/**
 * Ends what the studio has started, also if the studio is killed: programs have process groups of their own, which would
 * go on. This shell reads which groups there are from the studio; when there is no studio any more, it ends them.
 */
const script = `
groups=" "
while read -r change group; do
  case $change in
    +) groups="$groups$group " ;;
    -) case $groups in *" $group "*) groups="\${groups%% $group *} \${groups#* $group }" ;; esac ;;
  esac
done
for group in $groups; do kill -TERM "-$group" 2>/dev/null; done
[ "$groups" = " " ] || sleep 12
for group in $groups; do kill -KILL "-$group" 2>/dev/null; done
`;

export interface Watchdog extends ProgramWatcher {
  close(): void;
}

export function startWatchdog(): Watchdog {
  const shell = spawn("sh", ["-c", script], { detached: true, stdio: ["pipe", "ignore", "ignore"] });
  shell.on("error", () => {});
  shell.stdin.on("error", () => {});
  shell.unref();
  return {
    started: (pid) => void shell.stdin.write(`+ ${pid}\n`),
    ended: (pid) => void shell.stdin.write(`- ${pid}\n`),
    close: () => void shell.stdin.end(),
  };
}
