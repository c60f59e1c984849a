import { join } from "node:path";
import type { Files } from "../src/new/slice/slice.ts";
import { writeFiles } from "../src/new/write.ts";
import { run, sharePackages, temporaryFolder, writeOut } from "./support.ts";

interface Made {
  title: string;
  files: Files;
}

type RequestInput<Project> = Project & { folder: string };

/** Projects with the same settings: each tool runs once for all of them. */
export class Group<Project extends Made> {
  readonly projects: RequestInput<Project>[];
  readonly #folder = temporaryFolder();

  constructor(projects: Project[]) {
    this.projects = projects.map((project) => ({ ...project, folder: this.#write(project) }));
    const readSetting = (name: string) => projects[0]?.files.get(name) ?? "";
    const types = JSON.parse(readSetting("tsconfig.json"));
    writeFiles(this.#folder, [
      [".gitignore", readSetting(".gitignore")],
      ["biome.json", readSetting("biome.json").replaceAll('"src/**"', '"*/src/**"')],
      ["tsconfig.json", JSON.stringify({ ...types, include: this.projects.map(({ folder }) => folder) })],
    ]);
    sharePackages(this.#folder);
  }

  async biome(...args: string[]): Promise<void> {
    await run(this.#folder, "biome", "check", "--error-on-warnings", ...args);
  }

  async tsc(): Promise<void> {
    // With the default memory limit, garbage collection takes a fifth of its time.
    await run(this.#folder, "env", "GOGC=400", "tsc", "--singleThreaded");
  }

  /** biome does not allow nested biome.json files; of packages with the same name, tsc reads only the first. */
  #write({ title, files }: Project): string {
    const own = new Map(files);
    own.delete("biome.json");
    const name = title.replaceAll(/\W+/g, "-");
    own.set("package.json", (files.get("package.json") ?? "").replace(/(?<="name": ").*(?=")/, name));
    return writeOut(own, join(this.#folder, name));
  }
}

/** Writes projects, those with the same settings into one folder. */
export function writeInGroups<Project extends Made>(projects: Project[]): Group<Project>[] {
  const settings = [".gitignore", "biome.json", "tsconfig.json"];
  const groups = Map.groupBy(projects, ({ files }) => settings.map((name) => files.get(name)).join());
  return [...groups.values()].map((group) => new Group(group));
}
