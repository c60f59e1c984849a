import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { describe, test } from "node:test";
import type { HttpRequest } from "../../src/core/http/request.ts";
import { load } from "../project.ts";

const { createGuard } = await load<typeof import("../../src/core/features/auth/auth.ts")>(
  "src/core/features/auth/auth.ts",
);
const { token } = await load<typeof import("../../src/core/features/auth/token.ts")>("src/core/features/auth/token.ts");
const { AppServer } = await load<typeof import("../../src/core/http/server.ts")>("src/core/http/server.ts");

const [one, two] = ["test-token-one-of-32-characters-or-more", "test-token-two-of-32-characters-or-more"];
const callers = [one, two].map((written) => token.read(written) ?? assert.fail());

describe("a token", () => {
  for (const written of ["x".repeat(32), "A-z0.9_~+/".repeat(4), `${"x".repeat(31)}=`, `${"x".repeat(43)}==`])
    test(`may be ${written}`, () => assert.ok(token.read(written)));

  for (const written of ["", " ", "x".repeat(31), `${"x".repeat(32)} `, ` ${"x".repeat(32)}`, "ü".repeat(32)])
    test(`may not be "${written}"`, () => assert.equal(token.read(written), undefined));

  for (const written of ["=".repeat(32), `=${"x".repeat(32)}`, `${"x".repeat(32)}\n`, `"${"x".repeat(32)}"`])
    test(`may not be ${JSON.stringify(written)}`, () => assert.equal(token.read(written), undefined));

  for (const name of ["app", "my-app_2.0", "x".repeat(64)])
    test(`may have the name ${name}`, () => assert.equal(token.read(`${name}:${one}`)?.name, name));

  for (const name of ["", " ", "ü", "a b", '"', "a:b", "x".repeat(65)])
    test(`may not have the name "${name}"`, () => assert.equal(token.read(`${name}:${one}`), undefined));

  test("has no name if none is written", () => assert.equal(token.read(one)?.name, undefined));

  test("is not stored", () => assert.ok(!callers.some(({ digest }) => digest.includes(one) || digest.includes(two))));
});

describe("an idempotency key", () => {
  test("differs for each token, and is the same each time", () => {
    assert.equal(scoped("key", one), scoped("key", one));
    assert.notEqual(scoped("key", one), scoped("key", two));
    assert.notEqual(scoped("key", one), scoped("yek", one));
  });

  test("can be stored, and does not reveal the token", () => {
    for (const key of ["k", "~".repeat(255)]) {
      const stored = scoped(key, one);
      assert.match(stored ?? "", /^[!-~]{1,255}$/);
      for (const secret of [one, hash("sha256", one)]) assert.ok(!stored?.includes(secret));
    }
  });

  for (const key of ["", "two words", "ü", "x".repeat(256)])
    test(`that is malformed stays malformed: "${key.slice(0, 10)}"`, () => assert.equal(scoped(key, one), key));

  test("is not added if none was sent", () => assert.equal(scoped(undefined, one), undefined));
});

/** The key that is stored for a key and a token. */
function scoped(key: string | undefined, token: string): string | undefined {
  const headers = { authorization: `Bearer ${token}`, ...(key !== undefined && { "idempotency-key": key }) };
  const request: { headers: Record<string, string | undefined> } & object = { headers, rawHeaders: [] } as never;
  createGuard({ routes: [] }, callers, new AppServer())(request as unknown as HttpRequest, {}, "/");
  return request.headers["idempotency-key"];
}
