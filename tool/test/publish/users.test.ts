import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { userOf } from "../../src/publish/users.ts";
import { later, newProject, noEngine, runDory, unpublish } from "./support.ts";

test("a container runs as the image's own user, unless that is root", () => {
  assert.equal(userOf({}), "65532");
  for (const User of ["", "0", "00", "root", "0:0", "root:staff"]) assert.equal(userOf({ User }), "65532", User);
  for (const User of ["postgres", "999", "1000:0", "rooted"]) assert.equal(userOf({ User }), User);
});

describe("an image that is built to run as root", { skip: noEngine || later }, () => {
  const application = "dory-test-root";
  let folder: string;
  before(async () => {
    folder = await newProject(application);
  });
  after(() => unpublish(folder));

  test("is refused before its trial", async () => {
    for (const [user, said] of [
      ["USER root", /has USER root would run as root/],
      ["USER 0:0", /has USER 0:0 would run as root/],
      ["", /names no user, and so would run as root/],
    ] as const) {
      writeFileSync(join(folder, "Dockerfile"), `FROM caddy:2\n${user}\nCMD ["true"]\n`);
      const { code, stdout, stderr } = await runDory(folder, ["publish", "--port", "18184"]);
      assert.equal(code, 1, stdout);
      assert.match(stderr, said);
      assert.match(stderr, /USER 65532.*\(image_root\)/s);
      assert.doesNotMatch(stdout, /^. Test /m);
    }
  });
});
