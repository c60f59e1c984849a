import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { postPacked } from "../creating.ts";
import { takesAnyMethod } from "../document.ts";
import { goodValues, validItem } from "../items.ts";
import { list, listed } from "../listing.ts";
import {
  each,
  exchange,
  expectEncodingRefused,
  expectFaults,
  expectJson,
  expectMissing,
  expectProblem,
  message,
  post,
  type Subject,
  send,
} from "../suite.ts";
import { change, expectUnchanged, forItems, type Known, known, make, pickFields, read } from "./item.ts";

const changes = ["PUT", "PATCH", "DELETE"];

const noTags = [
  "",
  " ",
  ",",
  "x",
  '"',
  '"x',
  'x"',
  '"a" "b"',
  "'a'",
  '*, "a"',
  '"a", *',
  "**",
  'w/"a"',
  'W/ "a"',
  "W/a",
];

export const itemRouteChecks = forItems([
  {
    name: "a new item has its path in Location and a strong ETag, and can be read there",
    async run(subject) {
      const made = await make(subject);
      assert.equal(made.path, `${subject.path}/${made.item.id}`);
      assert.deepEqual(await read(subject, made), made);
      const key = { "Idempotency-Key": randomUUID() };
      const sent = validItem(subject.item);
      assert.deepEqual(await make(subject, sent, key), await make(subject, sent, key));
    },
  },
  {
    name: "HEAD answers like GET, with the ETag and without a body",
    async run(subject) {
      const made = await make(subject);
      if (takesAnyMethod(subject.document, made)) return;
      const head = await send(subject, { method: "HEAD", path: made.path });
      assert.deepEqual([head.status, head.headers["etag"]], [200, made.tag]);
    },
  },
  {
    name: "GET with the ETag in If-None-Match is 304 without a body, compared weakly",
    async run(subject) {
      const { path, tag } = await make(subject);
      const cached = [tag, `W/${tag}`, `"x", ${tag}`, `${tag},"x"`, "*"];
      const methods = takesAnyMethod(subject.document, { path }) ? ["GET"] : ["GET", "HEAD"];
      await each(cached, async (value) => {
        for (const method of methods) {
          const headers = { "If-None-Match": value };
          const both = [message(subject, { method, path, headers }), message(subject, { path: "/health" })];
          const reply = await exchange(subject, Buffer.concat(both), { isHead: method === "HEAD" });
          assert.deepEqual([reply.status, reply.headers["etag"], reply.body], [304, tag, ""]);
          assert.equal(reply.headers["content-type"], undefined);
        }
      });
      await each(['"x"', 'W/"x"', "", "x", tag.slice(1), `"${tag.slice(2)}`, tag.toUpperCase()], async (value) => {
        expectJson(await send(subject, { path, headers: { "If-None-Match": value } }), 200);
      });
      const repeated = { "If-None-Match": '"x"', "if-none-match": tag };
      assert.equal((await send(subject, { path, headers: repeated })).status, 304);
      expectProblem(await send(subject, { path, headers: { "If-Match": '"x"' } }), 412, "precondition_failed");
    },
  },
  {
    name: "an unknown or malformed id is 404 for every method, and nothing is created",
    async run(subject) {
      const { item, tag } = await make(subject);
      const { id } = item;
      const others = [
        "1",
        "x",
        randomUUID(),
        id.toUpperCase(),
        id.replaceAll("-", ""),
        `${id}0`,
        id.slice(1),
        `{${id}}`,
        "jos%C3%A9",
        "%00",
        `${id};a=b`,
        "x".repeat(1000),
      ];
      await each(
        others.filter((one) => one !== id),
        async (one) => {
          const nothing = { path: `${subject.path}/${one}`, item, tag: "*" };
          expectMissing(await send(subject, { path: nothing.path }));
          expectMissing(await change(subject, "PUT", nothing, validItem(subject.item)));
          expectMissing(await change(subject, "PATCH", nothing, {}));
          expectMissing(await change(subject, "DELETE", nothing));
        },
      );
      await expectUnchanged(subject, { path: `${subject.path}/${id}`, item, tag });
    },
  },
  {
    name: "PUT replaces all fields; the id, the time and the position in the list stay",
    async run(subject) {
      const before = await make(subject);
      const next = await make(subject);
      const sent = createRequired(subject);
      const after = known(await change(subject, "PUT", before, sent), 200, before.path);
      const defaults = Object.entries(subject.item.properties).filter(([, field]) => field.default !== undefined);
      const usual = Object.fromEntries(defaults.map(([name, field]) => [name, field.default]));
      assert.deepEqual(pickFields(after.item), { ...usual, ...sent });
      assert.deepEqual([after.item.id, after.item["createdAt"]], [before.item.id, before.item["createdAt"]]);
      await expectUnchanged(subject, after);
      const ids = (await listed(subject, [before.item, next.item])).map(({ id }) => id);
      assert.deepEqual(
        ids.filter((id) => id === before.item.id || id === next.item.id),
        [next.item.id, before.item.id],
      );
    },
  },
  {
    name: "every valid value of a field can be PUT, is returned unchanged, and has the same ETag each time",
    async run(subject) {
      let last = await make(subject);
      for (const [name, field] of Object.entries(subject.item.properties))
        await each(goodValues(field), async (value) => {
          const sent = { ...pickFields(last.item), [name]: value };
          last = known(await change(subject, "PUT", last, sent), 200, last.path);
          assert.deepEqual(last.item[name], JSON.parse(JSON.stringify(value)));
          await expectUnchanged(subject, last);
        });
    },
  },
  {
    name: "PATCH sets the fields that it has and removes those that are null, in both media types",
    async run(subject) {
      let last = await make(subject);
      const other = validItem(subject.item);
      for (const [name, value] of Object.entries(other)) {
        const headers = {
          "Content-Type": name.length % 2 === 0 ? "application/json" : "application/merge-patch+json; charset=utf-8",
        };
        const after = known(await change(subject, "PATCH", last, { [name]: value }, headers), 200, last.path);
        const { [name]: _, ...rest } = last.item;
        const { [name]: set, ...others } = after.item;
        assert.deepEqual(others, rest);
        if (typeof value !== "object") assert.deepEqual(set, value);
        last = after;
      }
      for (const [name, { default: usual }] of Object.entries(subject.item.properties)) {
        const reply = await change(subject, "PATCH", last, { [name]: null });
        if (subject.item.required.includes(name)) {
          expectFaults(reply, [`#/${name}`]);
          continue;
        }
        last = known(reply, 200, last.path);
        assert.deepEqual(last.item[name], usual);
      }
      assert.deepEqual(known(await change(subject, "PATCH", last, {}), 200, last.path), last);
      await expectUnchanged(subject, last);
    },
  },
  {
    name: "a patched item is checked as a whole, and a patch that is not an object is 422",
    async run(subject) {
      const made = await make(subject);
      const names = ["id", "createdAt", "extra", "__proto__", "a/b"];
      const unknown = names.filter((name) => !Object.hasOwn(subject.item.properties, name));
      await each(unknown, async (name) => {
        for (const value of ["1", "null"]) {
          const pointer = `#/${name.replaceAll("/", "~1")}`;
          expectFaults(await change(subject, "PATCH", made, `{${JSON.stringify(name)}:${value}}`), [pointer]);
        }
      });
      await each(["null", "[]", "5", "true", '"x"', "[{}]"], async (body) => {
        expectFaults(await change(subject, "PATCH", made, body), ["#"]);
      });
      const [name = ""] = Object.keys(subject.item.properties);
      const deep = `{"${name}":${'{"a":'.repeat(15_000)}null${"}".repeat(15_000)}}`;
      expectFaults(await change(subject, "PATCH", made, deep), [`#/${name}`]);
      await expectUnchanged(subject, made);
    },
  },
  {
    name: "bodies of PUT and PATCH have the same rules as those of POST",
    async run(subject) {
      const made = await make(subject);
      const body = JSON.stringify(validItem(subject.item));
      for (const method of ["PUT", "PATCH"]) {
        for (const text of ["", "{", "\ufeff{}", "nul"])
          expectProblem(await change(subject, method, made, text), 400, "malformed_json");
        for (const type of [
          "",
          "text/plain",
          "application/json-patch+json",
          "application/json; charset=latin1",
          "application/merge-patch+json; charset=latin1",
          "application/merge-patch+jsonx",
        ])
          expectProblem(
            await change(subject, method, made, body, { "Content-Type": type }),
            415,
            "unsupported_media_type",
          );
        expectProblem(
          await send(subject, { method, path: made.path, headers: { "If-Match": made.tag } }),
          415,
          "unsupported_media_type",
        );
        const large = " ".repeat(subject.bodyLimitBytes) + body;
        expectProblem(await change(subject, method, made, large), 413, "body_too_large");
      }
      const patchType = { "Content-Type": "application/merge-patch+json" };
      expectProblem(await change(subject, "PUT", made, body, patchType), 415, "unsupported_media_type");
      expectProblem(await send(subject, { method: "POST", headers: patchType, body }), 415, "unsupported_media_type");
      expectFaults(await change(subject, "PUT", made, "[]"), ["#"]);
      expectFaults(await change(subject, "PUT", made, made.item), ["#/id", "#/createdAt"]);
      for (const method of ["PUT", "PATCH"]) {
        const encoded = await change(subject, method, made, body, { "Content-Encoding": "gzip" });
        await expectEncodingRefused(encoded, () => postPacked(subject));
      }
      await expectUnchanged(subject, made);
    },
  },
  {
    name: "a change without If-Match is 428, with a malformed one 400, and with another tag 412",
    async run(subject) {
      const made = await make(subject);
      const bodies: Record<string, unknown> = { PUT: validItem(subject.item), PATCH: {} };
      for (const method of changes) {
        const json = { "Content-Type": "application/json" };
        const body = bodies[method] === undefined ? {} : { headers: json, body: JSON.stringify(bodies[method]) };
        expectProblem(await send(subject, { method, path: made.path, ...body }), 428, "precondition_required");
        const onlyNone = { ...body.headers, "If-None-Match": '"x"' };
        expectProblem(
          await send(subject, { method, path: made.path, ...body, headers: onlyNone }),
          428,
          "precondition_required",
        );
        await each(noTags, async (tag) => {
          expectProblem(await change(subject, method, { ...made, tag }, bodies[method]), 400, "bad_request");
        });
        await each(
          ['"x"', `W/${made.tag}`, `"x", W/${made.tag}`, '""', made.tag.toLowerCase().replace(/^"/, '"0')],
          async (tag) => {
            expectProblem(await change(subject, method, { ...made, tag }, bodies[method]), 412, "precondition_failed");
          },
        );
        const none = { "If-None-Match": "*" };
        expectProblem(await change(subject, method, made, bodies[method], none), 412, "precondition_failed");
      }
      await expectUnchanged(subject, made);
    },
  },
  {
    name: "If-Match accepts several tags, in one line or several, and * for any",
    async run(subject) {
      let last = await make(subject);
      const spellings: ((tag: string) => object)[] = [
        (tag) => ({ "If-Match": `"x", ${tag}` }),
        (tag) => ({ "If-Match": `${tag} ,, W/"x",` }),
        (tag) => ({ "If-Match": '"x"', "if-match": tag }),
        () => ({ "If-Match": "*" }),
      ];
      for (const headersFor of spellings)
        last = known(await change(subject, "PATCH", last, {}, headersFor(last.tag)), 200, last.path);
    },
  },
  {
    name: "a query parameter on the path of one item is 400",
    async run(subject) {
      const made = await make(subject);
      const asked = { ...made, path: `${made.path}?x=1` };
      expectProblem(await send(subject, { path: asked.path }), 400, "invalid_query");
      expectProblem(await change(subject, "PUT", asked, validItem(subject.item)), 400, "invalid_query");
      expectProblem(await change(subject, "PATCH", asked, {}), 400, "invalid_query");
      expectProblem(await change(subject, "DELETE", asked), 400, "invalid_query");
      await expectUnchanged(subject, made);
    },
  },
  {
    name: "DELETE answers 204, and is final",
    async run(subject) {
      const [made, other] = [await make(subject), await make(subject)];
      const reply = await change(subject, "DELETE", made);
      assert.deepEqual([reply.status, reply.body, reply.headers["content-type"]], [204, "", undefined]);
      expectMissing(await send(subject, { path: made.path }));
      expectMissing(await change(subject, "DELETE", made));
      expectMissing(await change(subject, "PUT", made, validItem(subject.item)));
      expectMissing(await change(subject, "PATCH", { ...made, tag: "*" }, {}));
      const { items } = await list(subject, "?limit=100");
      assert.ok(!items.some(({ id }) => id === made.item.id));
      await expectUnchanged(subject, other);
    },
  },
  {
    name: "DELETE ignores a body",
    async run(subject) {
      await each(["application/json", "text/plain", "application/x-unknown"], async (type) => {
        for (const body of ["", "{", "{}"])
          assert.equal(
            (await change(subject, "DELETE", await make(subject), body, { "Content-Type": type })).status,
            204,
          );
        const alone = { "Content-Type": type };
        assert.equal((await change(subject, "DELETE", await make(subject), undefined, alone)).status, 204);
      });
      assert.equal((await change(subject, "DELETE", await make(subject))).status, 204);
    },
  },
  {
    name: "a retry of a creation gets the first answer again, even after the item was changed or deleted",
    async run(subject) {
      const key = { "Idempotency-Key": randomUUID() };
      const sent = validItem(subject.item);
      const made = await make(subject, sent, key);
      const changed = known(await change(subject, "PUT", made, validItem(subject.item)), 200, made.path);
      assert.deepEqual(await make(subject, sent, key), made);
      assert.equal((await change(subject, "DELETE", changed)).status, 204);
      assert.deepEqual(await make(subject, sent, key), made);
      expectMissing(await send(subject, { path: made.path }));
      const other = otherThan(subject, sent);
      expectProblem(await post(subject, other, key), 422, "idempotency_key_reused");
    },
  },
  {
    name: "one of several clients that change or delete the same version of an item succeeds",
    async run(subject) {
      const made = await make(subject);
      const rivals = Array.from({ length: 20 }, () => otherThan(subject, pickFields(made.item)));
      const replies = await Promise.all(rivals.map((item) => change(subject, "PUT", made, item)));
      const winners = replies.filter(({ status }) => status === 200);
      assert.equal(winners.length, 1);
      for (const reply of replies) if (reply.status !== 200) expectProblem(reply, 412, "precondition_failed");
      const [winner = assert.fail()] = winners;
      const last = known(winner, 200, made.path);
      await expectUnchanged(subject, last);
      const gone = await Promise.all(Array.from({ length: 10 }, () => change(subject, "DELETE", last)));
      assert.deepEqual(
        gone.map(({ status }) => status).filter((status) => status !== 404),
        [204],
      );
    },
  },
  {
    name: "a walk continues from a cursor whose item was deleted",
    async run(subject) {
      const made: Known[] = [];
      for (let count = 0; count < 5; count++) made.push(await make(subject));
      const ids = made.map(({ item }) => item.id);
      const deleted = made.filter((_, index) => index % 2 === 1);
      for (const one of deleted) assert.equal((await change(subject, "DELETE", one)).status, 204);
      for (const index of [4, 3, 2, 1]) {
        const { items } = await list(subject, `?limit=100&cursor=${ids[index]}`);
        const left = ids.filter((_, other) => other < index && other % 2 === 0);
        assert.deepEqual(
          items.map(({ id }) => id).filter((id) => ids.includes(id)),
          left.reverse(),
        );
      }
      expectProblem(await send(subject, { path: `${subject.path}?cursor=${randomUUID()}` }), 400, "invalid_query");
    },
  },
]);

/** A valid item with only the required fields. */
function createRequired({ item }: Subject): Record<string, unknown> {
  return Object.fromEntries(Object.entries(validItem(item)).filter(([name]) => item.required.includes(name)));
}

/** A valid item that differs from another one, if its fields allow that. */
function otherThan({ item }: Subject, one: object): object {
  const others = Array.from({ length: 30 }, () => validItem(item));
  return others.find((other) => !isDeepStrictEqual(other, one)) ?? validItem(item);
}
