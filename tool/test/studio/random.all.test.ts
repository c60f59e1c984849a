import assert from "node:assert/strict";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { makeProject, prepareProject } from "../../src/new/make.ts";
import { writeQuery } from "../../src/new/query.ts";
import { backend, temporaryFolder } from "../support.ts";
import { readTgz, readZip } from "./archives.ts";
import { createRandom, createRequest } from "./random.ts";
import { parse, servePublic } from "./serve.ts";

describe("1,000 random requests", () => {
  let url: string;
  const folder = temporaryFolder();
  const reporter = { say: () => {}, begin: () => undefined, interrupted: new AbortController().signal };
  before(async () => {
    url = await servePublic();
  });

  for (let hundred = 0; hundred < 10; hundred++)
    test(`${hundred * 100 + 1} to ${hundred * 100 + 100} are what dory new writes`, async () => {
      const random = createRandom(hundred + 1);
      for (let count = 0; count < 100; count++) {
        const { name = "", ...rest } = createRequest(random);
        const path = join(folder, `${hundred}-${count}`);
        const project = prepareProject({ name, ...rest, folder: path }, () => backend);
        const address = `${url}/projects/${name}.`;
        const query = writeQuery(rest);
        const answer = await fetch(`${address}${count % 2 === 0 ? "tgz" : "zip"}?${query}`);
        assert.equal(answer.status, 200, query);
        const bytes = Buffer.from(await answer.arrayBuffer());
        const packed = count % 2 === 0 ? readTgz(bytes) : readZip(bytes);
        compare(packed, project.files, query);
        if (count % 10 === 0) {
          const { digest } = await parse(await fetch(`${address}json?${query}`));
          const preview = await fetch(`${url}/api/preview`, {
            method: "POST",
            headers: { "Content-Type": "application/json" },
            body: JSON.stringify({ query: `name=${name}&${query}` }),
          });
          assert.equal((await parse(preview)).digest, digest, query);
          await makeProject(project, { install: false, git: false }, reporter);
          compare(packed, readFolder(path), query);
          rmSync(path, { recursive: true });
        }
      }
    });
});

/** The id tells projects apart, so it cannot be in a file that everyone gets. */
function compare(packed: Map<string, string>, made: Map<string, string>, query: string): void {
  assert.deepEqual([...packed.keys()], [...made.keys()].sort(), query);
  for (const [file, text] of packed) {
    const own = made.get(file);
    assert.ok(text === (file === "dory.json" ? own?.replace(/^ {2}"id": .*\n/m, "") : own), `${file} of ${query}`);
  }
}

/** What was written, without what is for this machine alone. */
function readFolder(path: string): Map<string, string> {
  const files = readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(path.length + 1))
    .filter((file) => file !== ".env");
  return new Map(files.map((file) => [file, readFileSync(join(path, file), "utf8")]));
}
