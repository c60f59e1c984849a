import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { later } from "../../../backend/test/support/matrix.ts";
import { chooseUser, findUid } from "../../src/publish/users.ts";
import { newProject, noEngine, runDory, unpublish } from "./support.ts";

test("a container runs as the image's own user, unless that is root", async () => {
  const of = (User?: string) => chooseUser({ Id: "sha256:none", Config: User === undefined ? {} : { User } });
  for (const user of [undefined, "", "0", "00", "+0", "-0", "root", "0:0", "+0:staff", "root:staff"])
    assert.equal(await of(user), "65532", String(user));
  for (const user of ["999", "1000:0", "65532:65532"]) assert.equal(await of(user), user);
});

test("a user's number is that of the first line with its name", () => {
  const passwd = "root:x:0:0::/root:/bin/sh\ntoor:x:0:0::/:/bin/sh\ntoortle:x:7:7::/:\ntoor:x:9:9::/:\n";
  assert.deepEqual(
    ["root", "toor", "toortle", "tor"].map((name) => findUid(passwd, name)),
    [0, 0, 7, undefined],
  );
});

test("a user whose number cannot be read is root, as for the engine", () => {
  for (const line of ["app:x:abc:7", "app:x", "app:", "app", " app:x:0:0", "\tapp:x:-0", "app:x: 7", "app:x:0x7"])
    assert.equal(findUid(`root:x:0:0\n${line}\napp:x:1000:1000\n`, "app"), 0, line);
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
      ["USER +0", /has USER \+0 would run as root/],
      ['RUN echo "toor:x:0:0::/:/bin/sh" >> /etc/passwd\nUSER toor', /has USER toor would run as root/],
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
