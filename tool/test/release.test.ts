import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import {
  findBackendFaults,
  findContentFaults,
  findManifestFaults,
  readVersion,
  requireEntry,
  withLockVersion,
  withVersion,
} from "../../scripts/packages.ts";
import { backend, repository } from "./support.ts";

const read = (path: string) => readFileSync(join(repository, path), "utf8");
const root = JSON.parse(read("package.json"));

describe("a release", () => {
  test("has the current version or a higher one", () => {
    for (const version of ["0.9.0", "0.9.1", "0.10.0", "1.0.0", "10.0.0"])
      assert.equal(readVersion(version, "0.9.0"), version);
    for (const version of ["0.8.9", "0.1.10", "0.0.0"])
      assert.throws(() => readVersion(version, "0.9.0"), /is lower than 0\.9\.0/);
    for (const version of ["", "1", "1.2", "v1.2.3", "1.2.3-rc.1", "01.2.3", "1.2.3.4", "patch"])
      assert.throws(() => readVersion(version, "0.9.0"), /is not a version/, version);
  });

  test("needs its own entry in the changelog", () => {
    const changelog =
      "# Changelog\n\n## [Unreleased]\n\n## [1.2.0] - 2026-05-01\n\n### Fixed\n\n- A leak.\n\n## [1.1.0] - 2026-04-01\n";
    requireEntry(changelog, "1.2.0", "2026-05-01");
    assert.throws(() => requireEntry(changelog, "1.3.0", "2026-06-01"), /"## \[1\.3\.0\] - 2026-06-01"/);
    assert.throws(() => requireEntry(changelog, "1.2.", "2026-06-01"), /needs a section/);
    assert.throws(() => requireEntry(changelog, "1.1.0", "2026-06-01"), /lists nothing under \[1\.1\.0\]/);
    assert.throws(() => requireEntry("## [1.2.0]\n\n- A leak.\n", "1.2.0", "2026-06-01"), /needs a section/);
  });

  test("sets the same version in both packages and the lock file", () => {
    assert.deepEqual(withVersion({ version: "0.1.0", dependencies: { dory: "0.1.0", ora: "^9" } }, "1.2.0"), {
      version: "1.2.0",
      dependencies: { dory: "1.2.0", ora: "^9" },
    });
    const lock = withLockVersion(JSON.parse(read("package-lock.json")), "1.2.0");
    assert.equal(lock.packages["tool"]?.version, "1.2.0");
    assert.deepEqual(lock.packages["create"]?.dependencies, { dory: "1.2.0" });
    assert.equal(lock.packages["backend"]?.version, undefined);
  });

  test("does not reformat the files", () => {
    for (const path of ["package-lock.json", "tool/package.json", "create/package.json"])
      assert.equal(`${JSON.stringify(JSON.parse(read(path)), null, 2)}\n`, read(path), path);
  });

  test("has the same description in both packages, and the repository's address", () => {
    for (const folder of ["tool", "create"] as const) {
      const manifest = JSON.parse(read(`${folder}/package.json`));
      assert.deepEqual(findManifestFaults(folder, manifest, root), []);
      assert.equal(read(`${folder}/LICENSE`), read("LICENSE"));
      const moved = { ...manifest, bugs: "https://example.com", keywords: [] };
      assert.equal(findManifestFaults(folder, moved, root).length, 2);
    }
  });

  test("contains everything that is needed, and nothing else", () => {
    const whole = ["LICENSE", "README.md", "package.json", "bin/create-dory.js"];
    assert.deepEqual(findContentFaults("create", whole), []);
    assert.deepEqual(findContentFaults("create", whole.slice(1)), ["create-dory lacks LICENSE"]);
    for (const path of [".env", ".npmrc", "test/x.test.ts", "bin/create-dory.js.map", "dist/dory.js"])
      assert.deepEqual(findContentFaults("create", [...whole, path]), [`create-dory should not contain ${path}`]);
    const built = globSync("dist/**/*.*", { cwd: join(repository, "tool") });
    const tool = ["LICENSE", "README.md", "package.json", "bin/dory.js", ...built];
    assert.deepEqual(findContentFaults("tool", tool), []);
    assert.equal(findContentFaults("tool", [...tool, "dist/main.test.js"]).length, 1);
    const isChunk = (path: string) => /-[A-Z\d]{8}\.\w+$/.test(path);
    assert.ok(tool.some(isChunk));
    for (const path of tool.filter((one) => !isChunk(one)))
      assert.deepEqual(
        findContentFaults(
          "tool",
          tool.filter((one) => one !== path),
        ),
        [`dory lacks ${path}`],
      );
  });

  test("contains the backend that projects are cut from, without tests that are only for this repository", () => {
    assert.deepEqual(findBackendFaults([...backend.files.keys()]), []);
    for (const path of [
      "test/faults/kill.matrix.test.ts",
      ".env",
      "data/items.db",
      "src/.env",
      "test/openapi/document.test.ts",
    ])
      assert.deepEqual(findBackendFaults([path]), [`dory should not contain the backend's ${path}`]);
  });
});
