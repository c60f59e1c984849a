import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { gzipSync } from "node:zlib";
import { badValues, goodValues, validItem } from "./items.ts";
import { list, listed } from "./listing.ts";
import type { FieldSchema } from "./schema.ts";
import {
  type Check,
  each,
  expectEncodingRefused,
  expectFaults,
  expectJson,
  expectProblem,
  post,
  postText,
  type Subject,
  send,
} from "./suite.ts";

const malformed = [
  "",
  " ",
  "{",
  "}",
  "[",
  '{"name"',
  '{"name":',
  '{"name":"x"',
  '{"name":"x",}',
  "{'name':'x'}",
  "{name:1}",
  '{"name":"x"} x',
  '{"name":"x"}{"name":"y"}',
  '{"name":undefined}',
  '{"name":NaN}',
  '{"name":Infinity}',
  '{"name":01}',
  '{"name":+1}',
  '{"name":.5}',
  '{"name":1.}',
  '{"name":0x1}',
  '{"name":"\t"}',
  '{"name":"\n"}',
  '{"name":"\\x41"}',
  '{"name":"\\u12"}',
  '{"name":"x" /* no */}',
  "// no\n{}",
  "nul",
  "truefalse",
  '"x',
  "[1,]",
  "[1 2]",
  "name=x",
  "<item/>",
  "\ufeff{}",
  "[".repeat(50_000),
  '{"a":'.repeat(15_000),
].map((text) => Buffer.from(text));

const notUtf8 = ["ff", "c0af", "eda080", "f4908080", "e282", "80", "c3", "f0808080"].map((hex) =>
  Buffer.concat([Buffer.from('{"name":"'), Buffer.from(hex, "hex"), Buffer.from('"}')]),
);

const otherKinds = [
  "null",
  "true",
  "5",
  '"name"',
  "[]",
  '[{"name":"x"}]',
  "[[]]",
  `${"[".repeat(40_000)}${"]".repeat(40_000)}`,
];

const wrongMediaTypes = [
  "",
  "text/plain",
  "text/json",
  "application/jsonx",
  "application/x-json",
  "application/ld+json",
  "application/problem+json",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "application/json, text/plain",
  "application / json",
  "application",
  "json",
  "*/*",
  "application/json; charset=latin1",
  "application/json; charset=utf-16",
  'application/json; charset="iso-8859-1"',
];

const rightMediaTypes = [
  "application/json",
  "APPLICATION/JSON",
  "application/json;charset=utf-8",
  "application/json; charset=UTF-8",
  'application/json; charset="utf-8"',
  "application/json ; charset=utf-8 ; x=y",
  "application/json; version=1",
];

const badKeys = ["", "two words", "a\tb", "x".repeat(256), "caf\xe9", "\x7f", "a,b c"];

export const creatingChecks: Check[] = [
  {
    name: "POST answers the item as it was stored",
    async run(subject) {
      const sent = validItem(subject.item);
      const reply = await post(subject, sent);
      const { id, createdAt, ...fields } = expectJson(reply, 201);
      assert.match(id, /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
      assert.match(createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      assert.ok(Math.abs(Date.parse(createdAt) - Date.parse(reply.headers["date"] ?? "")) < 60_000);
      assert.deepEqual(fields, sent);
      const made = { id, ...fields, createdAt };
      assert.deepEqual(await listed(subject, [made]), [made]);
    },
  },
  {
    name: "every valid value of a field is returned unchanged",
    async run(subject) {
      await eachField(subject, async (name, field) => {
        await each(goodValues(field), async (value) => {
          const sent = { ...validItem(subject.item), [name]: value };
          const made = expectJson(await post(subject, sent), 201);
          assert.deepEqual(made[name], JSON.parse(JSON.stringify(value)));
          assert.deepEqual(await listed(subject, [made]), [made]);
        });
      });
    },
  },
  {
    name: "an invalid value of a field is refused, not converted, and the fault says where it is",
    async run(subject) {
      await eachField(subject, async (name, field) => {
        await each(badValues(field), async ([json, below]) => {
          const body = JSON.stringify({ ...validItem(subject.item), [name]: "?" }).replace(/"\?"/, () => json);
          expectFaults(await postText(subject, body), [`#/${name}${below}`]);
        });
      });
    },
  },
  {
    name: "an optional field may be left out, and the item then lacks it or has its default",
    async run(subject) {
      const whole = validItem(subject.item);
      const sent = Object.fromEntries(Object.entries(whole).filter(([name]) => subject.item.required.includes(name)));
      const defaults = Object.entries(subject.item.properties).map(([name, field]) => [name, field.default]);
      const key = { "Idempotency-Key": randomUUID() };
      const { id, createdAt, ...fields } = expectJson(await post(subject, sent, key), 201);
      const expected = { ...Object.fromEntries(defaults.filter(([, value]) => value !== undefined)), ...sent };
      assert.deepEqual(fields, expected);
      const made = { id, ...fields, createdAt };
      assert.deepEqual(await listed(subject, [made]), [made]);
      assert.equal(expectJson(await post(subject, sent, key), 201).id, id);
    },
  },
  {
    name: "each missing field is a separate fault",
    async run(subject) {
      const { required } = subject.item;
      const reply = await post(subject, {});
      if (required.length === 0) expectJson(reply, 201);
      else
        expectFaults(
          reply,
          required.map((name) => `#/${name}`),
        );
    },
  },
  {
    name: "each unknown field is a separate fault",
    async run(subject) {
      const names = ["id", "createdAt", "extra", "__proto__", "constructor", "toString", "a/b~c", "ü ", "", "Name"];
      const unknown = names.filter((name) => !Object.hasOwn(subject.item.properties, name));
      await each(unknown, async (name) => {
        const body = `${JSON.stringify(validItem(subject.item)).slice(0, -1)},${JSON.stringify(name)}:1}`;
        const { errors } = expectProblem(await postText(subject, body), 422, "invalid_item");
        const pointer = name.replaceAll("~", "~0").replaceAll("/", "~1");
        assert.deepEqual(
          errors?.map((fault) => decodeURIComponent(fault.pointer ?? "")),
          [`#/${pointer}`],
        );
      });
      expectFaults(await post(subject, { a: 1, b: 2 }), [
        ...subject.item.required.map((name) => `#/${name}`),
        "#/a",
        "#/b",
      ]);
      expectFaults(await postText(subject, '{"\\ud800":1}'), [
        ...subject.item.required.map((name) => `#/${name}`),
        "#/%EF%BF%BD",
      ]);
    },
  },
  {
    name: "at most 20 faults are listed, and the detail has their number, or says that there are more",
    async run(subject) {
      const unknown = (length: number) => Object.fromEntries(Array.from({ length }, (_, n) => [`unknown${n}`, n]));
      for (const length of [2, 50]) {
        const { detail, errors } = expectProblem(await post(subject, unknown(length)), 422, "invalid_item");
        const count = length + subject.item.required.length;
        assert.equal(errors?.length, Math.min(count, 20));
        assert.match(detail, new RegExp(count > 20 ? `\\bmore\\b|\\b${count}\\b` : `\\b${count}\\b`));
      }
    },
  },
  {
    name: "a field that is only in __proto__ is missing",
    async run(subject) {
      const body = `{"__proto__":${JSON.stringify(validItem(subject.item))}}`;
      expectFaults(await postText(subject, body), [...subject.item.required.map((name) => `#/${name}`), "#/__proto__"]);
    },
  },
  {
    name: "the last value of a repeated key counts",
    async run(subject) {
      const [first, last] = [validItem(subject.item), validItem(subject.item)];
      const body = `${JSON.stringify(first).slice(0, -1)},${JSON.stringify(last).slice(1)}`;
      const { id, createdAt, ...fields } = expectJson(await postText(subject, body), 201);
      assert.deepEqual(fields, last);
    },
  },
  {
    name: "malformed JSON is 400",
    async run(subject) {
      await each(malformed, async (body) => {
        expectProblem(await postText(subject, body), 400, "malformed_json");
      });
    },
  },
  {
    name: "the detail of malformed JSON says where it fails",
    async run(subject) {
      const { detail } = expectProblem(await postText(subject, '{\n  "name": "x",\n}'), 400, "malformed_json");
      assert.match(detail, /line 3, column 1/);
    },
  },
  {
    name: "a body that is not UTF-8 is 400",
    async run(subject) {
      await each(notUtf8, async (body) => {
        expectProblem(await postText(subject, body), 400, "malformed_json");
      });
    },
  },
  {
    name: "JSON that is not an object is 422",
    async run(subject) {
      await each(otherKinds, async (body) => {
        expectFaults(await postText(subject, body), ["#"]);
      });
    },
  },
  {
    name: "a deeply nested value is refused, and nothing is stored",
    async run(subject) {
      const deep = `${"[".repeat(40_000)}${"]".repeat(40_000)}`;
      const name = Object.keys(subject.item.properties)[0] ?? "";
      const body = JSON.stringify({ ...validItem(subject.item), [name]: null }).replace("null", deep);
      expectFaults(await postText(subject, body), [`#/${name}`]);
      await list(subject, "?limit=100");
    },
  },
  {
    name: "a body that is not application/json in UTF-8 is 415",
    async run(subject) {
      await each(wrongMediaTypes, async (type) => {
        const reply = await post(subject, validItem(subject.item), { "Content-Type": type });
        expectProblem(reply, 415, "unsupported_media_type");
      });
      const body = JSON.stringify(validItem(subject.item));
      expectProblem(await send(subject, { method: "POST", body }), 415, "unsupported_media_type");
      expectProblem(await send(subject, { method: "POST" }), 415, "unsupported_media_type");
    },
  },
  {
    name: "application/json may have parameters and any case",
    async run(subject) {
      await each(rightMediaTypes, async (type) => {
        expectJson(await post(subject, validItem(subject.item), { "Content-Type": type }), 201);
      });
    },
  },
  {
    name: "any Content-Encoding is 415",
    async run(subject) {
      await each(["gzip", "br", "deflate", "identity", "x"], async (encoding) => {
        const reply = await post(subject, validItem(subject.item), { "Content-Encoding": encoding });
        await expectEncodingRefused(reply, () => postPacked(subject));
      });
    },
  },
  {
    name: "a chunked body is read like any other",
    async run(subject) {
      const sent = validItem(subject.item);
      const body = chunked(...(JSON.stringify(sent).match(/.{1,7}/gsu) ?? []));
      const { id, createdAt, ...fields } = expectJson(
        await postText(subject, body, { "Transfer-Encoding": "chunked" }),
        201,
      );
      assert.deepEqual(fields, sent);
    },
  },
  {
    name: "a query parameter on a creation is 400",
    async run(subject) {
      const body = JSON.stringify(validItem(subject.item));
      const headers = { "Content-Type": "application/json" };
      const reply = await send(subject, { method: "POST", path: `${subject.path}?limit=5`, headers, body });
      expectProblem(reply, 400, "invalid_query");
    },
  },
  {
    name: "a retry with the same Idempotency-Key and body answers the same item and creates nothing",
    async run(subject) {
      const key = { "Idempotency-Key": randomUUID() };
      const sent = validItem(subject.item);
      const made = expectJson(await post(subject, sent, key), 201);
      const other = expectJson(await post(subject, validItem(subject.item)), 201);
      assert.deepEqual(expectJson(await post(subject, sent, key), 201), made);
      assert.deepEqual(await listed(subject, [made, other]), [other, made]);
    },
  },
  {
    name: "bodies of a retry are compared as values",
    async run(subject) {
      const key = { "Idempotency-Key": randomUUID() };
      const sent = validItem(subject.item);
      const made = expectJson(await post(subject, sent, key), 201);
      const escaped = JSON.stringify(Object.fromEntries(Object.entries(sent).reverse()), null, 2).replace(
        /[a-z](?=[^"]*"\s*[,}])/g,
        (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
      );
      assert.deepEqual(expectJson(await postText(subject, escaped, key), 201), made);
    },
  },
  {
    name: "an Idempotency-Key used again for another body is 422",
    async run(subject) {
      const key = { "Idempotency-Key": randomUUID() };
      const sent = validItem(subject.item);
      expectJson(await post(subject, sent, key), 201);
      for (const other of Array.from({ length: 50 }, () => validItem(subject.item))) {
        if (JSON.stringify(other) === JSON.stringify(sent)) continue;
        expectProblem(await post(subject, other, key), 422, "idempotency_key_reused");
        break;
      }
    },
  },
  {
    name: "an Idempotency-Key is 1 to 255 visible ASCII characters",
    async run(subject) {
      await each(badKeys, async (key) => {
        const reply = await post(subject, validItem(subject.item), { "Idempotency-Key": key });
        expectProblem(reply, 400, "bad_request");
      });
      const twice = { "Idempotency-Key": "a", "idempotency-key": "b" };
      expectProblem(await post(subject, validItem(subject.item), twice), 400, "bad_request");
      await each([randomUUID().padEnd(255, "~"), `!"#$%&'()*+,-./:;<=>?@[]^_{|}${Date.now()}`], async (key) => {
        expectJson(await post(subject, validItem(subject.item), { "Idempotency-Key": key }), 201);
      });
    },
  },
  {
    name: "a refused creation does not use up its Idempotency-Key",
    async run(subject) {
      const key = { "Idempotency-Key": randomUUID() };
      expectProblem(await post(subject, [], key), 422, "invalid_item");
      expectJson(await post(subject, validItem(subject.item), key), 201);
    },
  },
  {
    name: "concurrent retries create one item",
    async run(subject) {
      const key = { "Idempotency-Key": randomUUID() };
      const sent = validItem(subject.item);
      const replies = await Promise.all(Array.from({ length: 20 }, () => post(subject, sent, key)));
      const [made, ...others] = replies.map((reply) => expectJson(reply, 201));
      assert.deepEqual(new Set(others.map(({ id }) => id)), new Set([made.id]));
      assert.deepEqual(await listed(subject, [made]), [made]);
    },
  },
];

async function eachField({ item }: Subject, check: (name: string, field: FieldSchema) => Promise<void>): Promise<void> {
  for (const [name, field] of Object.entries(item.properties)) await check(name, field);
}

export function postPacked(subject: Subject) {
  return postText(subject, gzipSync(JSON.stringify(validItem(subject.item))), { "Content-Encoding": "gzip" });
}

export function chunked(...parts: string[]): Buffer {
  const chunks = parts.map((part) => `${Buffer.byteLength(part).toString(16)}\r\n${part}\r\n`);
  return Buffer.from(`${chunks.join("")}0\r\n\r\n`);
}
