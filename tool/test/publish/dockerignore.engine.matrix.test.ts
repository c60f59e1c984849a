import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { later } from "../../../backend/test/support/matrix.ts";
import { hasBuildKit } from "../../src/publish/builder.ts";
import { listContextFiles } from "../../src/publish/context.ts";
import { readDockerignore } from "../../src/publish/dockerignore.ts";
import { temporaryFolder } from "../support.ts";
import { noEngine } from "./support.ts";

const files = [
  "x",
  "x+y",
  "xxy",
  "a.txt",
  "axtxt",
  "a/b/c.txt",
  "a/x.md",
  "a/foo",
  "abfoo",
  "c/(1).txt",
  "c/1.txt",
  "{x}",
  "x^y",
  "d+e/f",
  "foo.bar",
  "s$t",
  "[q]",
  "q",
  "p|x",
  "README.md",
];

function folderWith(dockerignore: string): string {
  const folder = temporaryFolder();
  const all = { ...Object.fromEntries(files.map((file) => [file, ""])), ".dockerignore": `${dockerignore}\n` };
  for (const [path, text] of Object.entries({ ...all, Dockerfile: "FROM scratch\nCOPY . /\n" })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

const ignoredBy = (dockerignore: string) => {
  const found = listContextFiles(folderWith(dockerignore));
  return files.filter((file) => !found.includes(file));
};

describe("a pattern in .dockerignore", () => {
  test("is not a regular expression", () => {
    assert.deepEqual(ignoredBy("x+y"), ["x+y"]);
    assert.deepEqual(ignoredBy("x|q\np|x"), ["p|x"]);
    assert.deepEqual(ignoredBy("c/(1).txt\n{x}\nx^y\ns$t\na.txt"), ["a.txt", "c/(1).txt", "{x}", "x^y", "s$t"]);
    assert.deepEqual(ignoredBy("^x\n(x)\n.*"), []);
  });

  test("that Docker cannot read is reported", () => {
    for (const pattern of ["[b-a]", "a[", "a[?", "a\\", "\\q"])
      assert.throws(() => listContextFiles(folderWith(pattern)), { code: "dockerignore" }, pattern);
  });

  test("that matches in many ways is decided", () => {
    const folders = "a/".repeat(60);
    for (const [pattern, path] of [
      [`${"**/".repeat(40)}b`, `${folders}c`],
      [`${"*a".repeat(40)}b`, "a".repeat(200)],
      [`${"**/*".repeat(40)}b`, `${folders}c`],
    ] as const) {
      const isIgnored = readDockerignore(pattern);
      assert.deepEqual([isIgnored(path), isIgnored(`${path.slice(0, -1)}b`)], [false, true], pattern);
    }
  });

  test("may exclude folders, and be an exception", () => {
    assert.deepEqual(ignoredBy("a\n!a/x.md"), ["a/b/c.txt", "a/foo"]);
    assert.deepEqual(ignoredBy("**/*.txt\n!c"), ["a.txt", "a/b/c.txt", "c/(1).txt", "c/1.txt"]);
  });
});

const patterns = [
  "x+y",
  "p|x",
  "c/(1).txt",
  "{x}",
  "x^y",
  "^x",
  "d+e",
  "*.txt",
  "**/*.txt",
  "**foo",
  "**/foo",
  "a/**",
  "a/**/c.txt",
  "*\n!a",
  "*\n!a/b/*.txt",
  "[a-q]",
  "\\[q\\]",
  "s$t",
  "?",
  "a/",
  "/a",
  "./a/../x",
  "*/*\n!c",
  "# x\n #x",
  "  x  ",
  "!x",
  "**/b",
  "a*",
  "**\n!**/*.md",
  "f??.bar",
  "[^a]",
  "a\\.txt",
  "**/*\n!x",
  "c/*\n!c/1*",
  "a\n!a/x.md\na",
];

describe("what a build sends is what is searched", { skip: noEngine || later }, () => {
  test("for every pattern", async (context) => {
    if (!(await hasBuildKit())) return context.skip("needs BuildKit");
    for (const pattern of patterns) {
      const folder = folderWith(pattern);
      const out = join(temporaryFolder(), "out");
      execFileSync("docker", ["buildx", "build", "-q", "-o", out, "."], { cwd: folder, stdio: "pipe" });
      const sent = readdirSync(out, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
      const paths = sent.map(({ parentPath, name }) => join(parentPath, name).slice(out.length + 1));
      assert.deepEqual(listContextFiles(folder).sort(), paths.sort(), pattern);
    }
  });
});
