import assert from "node:assert/strict";
import { cpSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { applyMerged } from "../../src/change/apply.ts";
import type { Make } from "../../src/change/base.ts";
import { type Change, planChange } from "../../src/change/change.ts";
import { createChange, createUpdate, type Edit, readAddition, readRemoval } from "../../src/change/edit.ts";
import { checkClean, openRepository } from "../../src/change/git.ts";
import { limitToService, readServiceAddition, readServiceRemoval } from "../../src/change/services.ts";
import { commitAll } from "../../src/new/programs.ts";
import type { RequestInput } from "../../src/new/request.ts";
import { type AnyInput, readAnyRequest, writeAnyRequest } from "../../src/new/services.ts";
import type { Files } from "../../src/new/slice/slice.ts";
import { writeFiles } from "../../src/new/write.ts";
import { project, run, temporaryFolder } from "../support.ts";

const settings = join(temporaryFolder(), "gitconfig");
const owner = "[user]\n\tname = Owner\n\temail = owner@example.com\n[init]\n\tdefaultBranch = main\n\ttemplateDir =\n";
writeFileSync(settings, `${owner}[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n`);
/** Independent of the git configuration of the person who runs the tests. */
process.env["GIT_CONFIG_GLOBAL"] = settings;

const owners = new Map<string, Owner>();
const projects = new Map<string, Files>();

/** A project, made once, because many tests start with the same one. */
export function made(input: AnyInput): Files {
  const key = JSON.stringify(readAnyRequest({ name: "my-api", ...input }));
  const files = projects.get(key) ?? project(input);
  projects.set(key, files);
  return files;
}

/** A project that was made by Dory and then changed by its owner. */
export class Owner {
  readonly folder: string;
  /** The service of an application that changes are for. */
  service: string | undefined;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Makes a project as `dory new --no-install` does. */
  static async of(input: AnyInput): Promise<Owner> {
    const key = JSON.stringify(input);
    const first = owners.get(key) ?? (await Owner.ofFiles(made(input)));
    // Fewer files to copy.
    if (!owners.has(key)) await first.git("repack", "-adq");
    owners.set(key, first);
    const folder = temporaryFolder();
    cpSync(first.folder, folder, { recursive: true });
    return new Owner(folder);
  }

  static async ofFiles(files: Files): Promise<Owner> {
    const folder = temporaryFolder();
    writeFiles(folder, files);
    await commitAll(folder, files, assert.fail);
    return new Owner(folder);
  }

  async clone(): Promise<Owner> {
    const folder = join(temporaryFolder(), "clone");
    await run(this.folder, "git", "clone", "--quiet", this.folder, folder);
    return new Owner(folder);
  }

  git(...args: string[]): Promise<string> {
    return run(this.folder, "git", ...args);
  }

  read(path: string): string {
    return readFileSync(join(this.folder, path), "utf8");
  }

  /** Changes a file, and commits it. Fails if the edit changes nothing. */
  async edit(path: string, change: (text: string) => string): Promise<void> {
    const text = this.read(path);
    assert.notEqual(change(text), text, path);
    await this.write(path, change(text));
  }

  async write(path: string, text: string): Promise<void> {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true });
    writeFileSync(join(this.folder, path), text);
    await this.commit(`Edit ${path}`);
  }

  async rename(from: string, to: string): Promise<void> {
    mkdirSync(dirname(join(this.folder, to)), { recursive: true });
    renameSync(join(this.folder, from), join(this.folder, to));
    await this.commit(`Rename ${from}`);
  }

  async commit(message: string): Promise<void> {
    await this.git("add", "-A");
    await this.git("commit", "--quiet", "-m", message);
  }

  add(...args: string[]): Promise<Change> {
    return this.change(
      args[0] === "service" ? readServiceAddition(args.slice(1)) : limitToService(readAddition(args), this.service),
    );
  }

  remove(...args: string[]): Promise<Change> {
    return this.change(
      args[0] === "service" ? readServiceRemoval(args.slice(1)) : limitToService(readRemoval(args), this.service),
    );
  }

  to(single: Partial<RequestInput>, fields?: string[]): Promise<Change> {
    return this.change(limitToService(createChange(single, fields ? { fields } : {}), this.service));
  }

  update(by?: Make): Promise<Change> {
    return this.change(createUpdate("now"), by);
  }

  async change(edit: Edit, by: Make = (request) => made(writeAnyRequest(request))): Promise<Change> {
    const repository = await openRepository(this.folder);
    await checkClean(repository);
    const change = await planChange(repository, by, edit);
    await applyMerged(repository, change.merged);
    return change;
  }

  /** The committed files; fails if there are others. */
  async files(): Promise<Files> {
    assert.equal(await this.git("status", "--porcelain"), "");
    const paths = (await this.git("ls-files", "-z")).split("\0").filter(Boolean);
    return new Map(paths.map((path) => [path, this.read(path)]));
  }

  /** Checks that a change was merged and resulted in exactly these files, and migrations. */
  async has(change: Change, files: Files): Promise<void> {
    assert.deepEqual(change.merged.conflict?.paths ?? [], []);
    const isMade = ([path]: [string, string]) => !/(^|\/)migrations\/[^/]+\.sql$/.test(path);
    const sorted = (all: Files) => [...all].filter(isMade).sort(([a], [b]) => (a < b ? -1 : 1));
    assert.deepEqual(sorted(await this.files()), sorted(files));
  }
}
