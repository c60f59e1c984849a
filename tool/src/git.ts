import { type Execution, execute, type Outcome } from "./execute.ts";

/** Runs git with arguments. */
export type RunGit = (args: string[], how?: Execution) => Promise<Outcome>;

/**
 * Runs git in a folder, without the programs that the configuration of its repository names: what was cloned or
 * unpacked is not trusted. The user's own configuration is. `env` is for every run.
 */
export function createGit(folder: string, env: NodeJS.ProcessEnv = {}, run = execute): RunGit {
  const shared = { ...process.env, ...quiet, ...env };
  const call = ([command = "", ...args]: string[], how: Execution = {}, overrides = {}) =>
    run("git", [...fixed, command, ...(flags[command] ?? []), ...args], {
      cwd: folder,
      ...how,
      env: { ...shared, ...overrides, ...how.env },
    });
  let listed: Promise<Outcome> | undefined;
  return async (args, how) => {
    listed ??= call(["config", "-z", "--show-scope", "--list"]);
    const list = await listed;
    // Nothing runs with a configuration that cannot be read.
    return list.code === 0 ? call(args, how, toEnv(listOverrides(list.stdout))) : list;
  };
}

const settings = [
  "safe.bareRepository=explicit",
  // Hooks could also stop a change in the middle, or run twice.
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "log.showSignature=false",
  "merge.verifySignatures=false",
  "submodule.recurse=false",
  "diff.submodule=short",
  "gc.auto=0",
  "maintenance.auto=false",
  "core.quotePath=false",
];
const fixed = ["--no-pager", ...settings.flatMap((setting) => ["-c", setting])];

/** A submodule has a configuration of its own, and its files are compared by a second git that would follow it. */
const flags: Record<string, string[]> = { status: ["--ignore-submodules=dirty"] };

/** Otherwise git would fetch missing objects, through any program that is configured as a transport. */
const quiet = {
  GIT_ALLOW_PROTOCOL: "none",
  GIT_NO_LAZY_FETCH: "1",
  GIT_LFS_SKIP_SMUDGE: "1",
  GIT_EDITOR: ":",
  GIT_TERMINAL_PROMPT: "0",
};

interface Entry {
  scope: string;
  key: string;
  value: string;
}

/** Settings that replace those of the repository that name programs. */
function listOverrides(list: string): [key: string, value: string][] {
  const words = list.split("\0");
  const entries = words.flatMap((scope, index): Entry[] => {
    const [key = "", ...lines] = (words[index + 1] ?? "").split("\n");
    return index % 2 === 0 && key !== "" ? [{ scope, key, value: lines.join("\n") }] : [];
  });
  const isTrusted = ({ scope }: Entry) => scope !== "local" && scope !== "worktree";
  const findTrusted = (key: string) => entries.findLast((one) => one.key === key && isTrusted(one))?.value;
  return entries.filter((one) => !isTrusted(one)).flatMap(({ key }) => overrideSetting(key, findTrusted(key)));
}

/** `trusted` is the user's own value. */
function overrideSetting(key: string, trusted: string | undefined): [key: string, value: string][] {
  const [, section = "", group = "", name = ""] = /^(([^.]+)(?:\..*)?)\.([^.]+)$/s.exec(key) ?? [];
  if (group === "filter" && /^(clean|smudge|process)$/.test(name))
    return [
      [key, trusted ?? ""],
      [`${section}.required`, "false"],
    ];
  if (group === "merge" && name === "driver") return [[key, trusted ?? "git merge-file --marker-size=%L %A %O %B"]];
  if (group === "gpg" && /^(program|defaultkeycommand)$/.test(name)) return [[key, trusted ?? signers[key] ?? ""]];
  // Git LFS, where the user has it, runs these.
  if (group === "lfs" && /^(clean|smudge|path|standalonetransferagent)$/.test(name)) return [[key, trusted ?? ""]];
  if (group === "hook") return [[`${section}.enabled`, "false"]];
  return [];
}

/** The programs that sign, if nothing is configured. */
const signers: Record<string, string> = {
  "gpg.program": "gpg",
  "gpg.openpgp.program": "gpg",
  "gpg.ssh.program": "ssh-keygen",
  "gpg.x509.program": "gpgsm",
};

/** Settings as variables: a command line cannot hold every name. */
function toEnv(overrides: [key: string, value: string][]): NodeJS.ProcessEnv {
  const first = Number(process.env["GIT_CONFIG_COUNT"] ?? 0);
  const pairs = overrides.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${first + index}`, key],
    [`GIT_CONFIG_VALUE_${first + index}`, value],
  ]);
  return { ...Object.fromEntries(pairs), GIT_CONFIG_COUNT: `${first + overrides.length}` };
}
