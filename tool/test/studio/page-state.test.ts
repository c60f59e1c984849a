import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldExamples, resourceExample } from "../../src/new/choices.ts";
import { findFaults } from "../../src/new/find-faults.ts";
import { readRequest } from "../../src/new/request.ts";
import type { BackendState, Job, SendAnswer, State } from "../../src/studio/api.ts";
import { readView, writeView } from "../../src/studio/page/address.ts";
import { applyAnswer, type ChangeEvent } from "../../src/studio/page/changes.ts";
import { addService, readChoices, removeService, writeChoices } from "../../src/studio/page/choices.ts";
import { findPart } from "../../src/studio/page/choose/bounds.ts";
import { readDiff } from "../../src/studio/page/files/diff.ts";
import { highlightLines } from "../../src/studio/page/files/highlight.ts";
import { findPlace } from "../../src/studio/page/publish/fault-place.ts";
import { findOutcome, toSteps } from "../../src/studio/page/publish/steps.ts";
import { formatLine } from "../../src/studio/page/run/format-line.ts";
import { findBeside, listShown } from "../../src/studio/page/run/keys.ts";
import { fillReferences, learn } from "../../src/studio/page/run/known.ts";
import { createExample, listOperations } from "../../src/studio/page/run/openapi.ts";

const defaults = {
  name: "my-api",
  framework: "hono",
  database: "both",
  node: "system",
  fields: ["name:string(1..200)"],
};

test("the choices of an address are written as they were read", () => {
  const resource = `${resourceExample}, label:string="a, b", size:enum(s|m)=m`;
  const query = new URLSearchParams([
    ["name", "shop"],
    ["framework", "koa"],
    ...fieldExamples.map((field) => ["field", field]),
    ["resource", resource],
    ["database", "sqlite"],
    ["with", "auth,cors"],
    ["webhook", "stripe"],
    ["node", "pinned"],
  ]);
  const written = new URLSearchParams(writeChoices(readChoices(query.toString(), defaults)));
  assert.deepEqual(written.getAll("field"), fieldExamples);
  assert.deepEqual(written.getAll("resource"), [resource]);
  assert.deepEqual(written.getAll("with"), ["auth", "cors"]);
  assert.equal(writeChoices(readChoices(written.toString(), defaults)), written.toString());
});

test("what an address leaves out has its default", () => {
  const { name, framework, fields, features } = readChoices("", defaults);
  assert.deepEqual([name, framework, features], ["my-api", "hono", []]);
  assert.deepEqual(fields, [
    { name: "name", type: "string", bounds: "1..200", isOptional: false, default: undefined, isUnique: false },
  ]);
});

test("the services of an address are rows; with them, the framework is only there if it was given", () => {
  const choices = readChoices("service=api=hono&service=jobs&service=a=b=c", defaults);
  assert.deepEqual(choices.services, [
    { name: "api", framework: "hono" },
    { name: "jobs", framework: "" },
    { name: "a", framework: "b=c" },
  ]);
  assert.equal(choices.framework, "");
  const written = new URLSearchParams(writeChoices(choices));
  assert.deepEqual([written.has("framework"), written.getAll("service")], [false, ["api=hono", "jobs=", "a=b=c"]]);
  const both = new URLSearchParams(writeChoices(readChoices("framework=koa&service=api=hono", defaults)));
  assert.deepEqual([both.get("framework"), both.get("service")], ["koa", "api=hono"]);
});

test("the first service takes the framework over, and the last one gives it back", () => {
  const single = readChoices("framework=koa", defaults);
  const one = { ...single, ...addService(single) };
  assert.deepEqual([one.framework, one.services], ["", [{ name: "", framework: "koa" }]]);
  const [first] = one.services;
  assert.ok(first);
  const two = { ...one, ...addService({ ...one, services: [{ ...first, framework: "h3" }] }) };
  assert.deepEqual(
    two.services.map(({ framework }) => framework),
    ["h3", "h3"],
  );
  const left = { ...two, ...removeService(two, 1) };
  assert.deepEqual([left.framework, left.services.length], ["", 1]);
  assert.deepEqual(removeService(left, 0), { framework: "h3", services: [] });
});

test("a default with a comma stays one default in a resource", () => {
  const choices = readChoices("resource=orders: note:string", defaults);
  const [resource] = choices.resources;
  assert.ok(resource?.fields[0]);
  resource.fields[0].default = "one, two";
  const [text = ""] = new URLSearchParams(writeChoices(choices)).getAll("resource");
  assert.equal(text, 'orders: note:string="one, two"');
  const { resources } = readRequest({ name: "a", framework: "hono", resources: [text] });
  assert.deepEqual(resources[0]?.fields[0]?.default, "one, two");
});

test("a text that is no field becomes the name of one, where its fault is shown", () => {
  assert.equal(readChoices("field=price", defaults).fields[0]?.name, "price");
});

test("the view stands behind the #, and an unknown tab is the first one", () => {
  const view = { tab: "files", file: "src/app.ts", compare: "framework:koa" } as const;
  assert.deepEqual(readView(writeView(view)), view);
  assert.deepEqual(readView("#tab=admin"), { tab: "choose" });
  assert.equal(writeView({ tab: "choose" }), "");
});

test("a diff has two columns: what was removed stands beside what was added", () => {
  const rows = readDiff("@@ -3,4 +3,4 @@\n same\n-old\n-gone\n+new\n same\n\\ No newline at end of file\n");
  assert.deepEqual(rows, [
    { isChanged: false, isGap: true },
    { before: { number: 3, text: "same" }, after: { number: 3, text: "same" }, isChanged: false },
    { before: { number: 4, text: "old" }, after: { number: 4, text: "new" }, isChanged: true },
    { before: { number: 5, text: "gone" }, isChanged: true },
    { before: { number: 6, text: "same" }, after: { number: 5, text: "same" }, isChanged: false },
  ]);
});

test("highlighting changes no text, also of comments of several lines", () => {
  const text = 'import { a } from "b";\n/* one\n   two */\nconst c = 5; // d\n`e`';
  const lines = highlightLines("a.ts", text);
  assert.equal(lines.map((tokens) => tokens.map((token) => token.text).join("")).join("\n"), text);
  assert.deepEqual(
    lines.map(([first]) => first?.kind),
    ["keyword", "comment", "comment", "keyword", "string"],
  );
});

test("steps of a publish follow its events", () => {
  const steps = toSteps([
    { event: "step", step: "build", title: "Build a", state: "started" },
    { event: "step", step: "build", state: "done", ms: 5 },
    { event: "step", step: "build", title: "Build b", state: "started" },
    { event: "note", text: "a note" },
    { event: "step", step: "build", state: "running", text: "npm ci" },
  ]);
  assert.deepEqual(
    steps.map(({ title, state, text }) => [title, state, text]),
    [
      ["Build a", "done", undefined],
      ["Build b", "started", "npm ci"],
    ],
  );
  assert.equal(findOutcome([{ event: "result", ok: false, outcome: "rolled_back" }]), "rolled_back");
});

test("a fault stands at the control that it is about, or at the first one that it names", () => {
  const names = ["to", "port", "domain", "API_TOKENS"];
  const find = (message: string, parameter?: string) =>
    findPlace({ code: "usage", message, ...(parameter === undefined ? {} : { parameter }) }, names);
  assert.equal(find("--port must be a whole number."), "port");
  assert.equal(find("With --domain the ports are 80 and 443. Leave --port out."), "domain");
  assert.equal(find("Set API_TOKENS."), "API_TOKENS");
  assert.equal(find("Anything", "domain"), "domain");
  assert.equal(find("The engine does not answer."), undefined);
  assert.equal(findPlace({ code: "no_engine", message: "No container engine answers." }, names), "to");
});

test("a line of a log is written for people, and any other line stays as it is", () => {
  const line =
    '{"time":"2026-01-31T12:30:01.000Z","level":"info","message":"request","requestId":"a","method":"GET","route":"/items","status":200,"durationMs":0.6}';
  assert.equal(formatLine(line), "12:30:01 GET /items 200 0.6 ms");
  assert.equal(
    formatLine('{"time":"2026-01-31T12:30:01.000Z","level":"error","message":"failed","error":{"a":1}}'),
    '12:30:01 error failed error={"a":1}',
  );
  assert.equal(formatLine("npm install"), "npm install");
});

test("an example of a body has what its schema requires", () => {
  const document = {
    paths: {},
    components: {
      schemas: {
        NewItem: {
          type: "object",
          required: ["name", "size", "day", "tags"],
          properties: {
            name: { type: "string", minLength: 10 },
            note: { type: "string" },
            size: { enum: ["s", "m"] },
            day: { type: "string", format: "date" },
            tags: { type: "array", items: { type: "integer", minimum: 3 } },
          },
        },
      },
    },
  };
  const example = createExample(document, { $ref: "#/components/schemas/NewItem" });
  assert.deepEqual(example, { name: "examplexxx", size: "s", day: "2026-01-31", tags: [3] });
});

test("an answer that was on its way while a job ended does not start that job again", () => {
  const job = (id: string, state: Job["state"]) => ({ id, state }) as Job;
  const ended = (id: number, name: string): ChangeEvent => ({ id, at: "", type: "job", job: job(name, "done") });
  const answer = { lastEvent: 7, jobs: [job("a", "running"), job("b", "done")], backends: [] as object[] } as State;
  const shown = applyAnswer(answer, [ended(6, "b"), ended(8, "a"), ended(9, "c")]);
  assert.deepEqual(
    shown.jobs.map(({ id, state }) => [id, state]),
    [
      ["a", "done"],
      ["b", "done"],
      ["c", "done"],
    ],
  );
});

test("a default that ends in unique does not make the field unique", () => {
  const [field] = readChoices("field=a:string", defaults).fields;
  assert.ok(field);
  const written = writeChoices({ ...readChoices("", defaults), fields: [{ ...field, default: "so unique" }] });
  const [read] = readChoices(written, defaults).fields;
  assert.deepEqual([read?.default, read?.isUnique], ['"so unique"', false]);
});

test("the fault of a field stands at the control that has it", () => {
  const kinds = { string: "range", number: "range", enum: "values", ref: "resource", boolean: "none" } as const;
  const find = (text: string) => {
    const [field] = readChoices(new URLSearchParams([["field", text]]).toString(), defaults).fields;
    const typed = new URLSearchParams(writeChoices(readChoices(`field=${encodeURIComponent(text)}`, defaults)));
    const asked = { name: "a", framework: "hono", fields: typed.getAll("field") };
    const [fault] = findFaults(asked).concat(findFaults({ ...asked, fields: [text] }));
    assert.ok(field && fault, text);
    return findPart(fault, field, kinds[field.type as keyof typeof kinds] ?? "none");
  };
  assert.equal(find("a:string(1..abc)"), "max");
  assert.equal(find("a:string(..20000000)"), "max");
  assert.equal(find("a:string(abc..)"), "min");
  assert.equal(find("a:string(-1..5)"), "min");
  assert.equal(find("price"), "name");
  assert.equal(find("a:b:string(1..5)"), "name");
  assert.equal(find("Price:number(1..)"), "name");
  assert.equal(find("a:enum"), "bounds");
  assert.equal(find("a:ref(orders)"), "bounds");
  assert.equal(find("a:boolean(1)"), "type");
  assert.equal(find("a:boolean=5"), "default");
});

test("a backend that runs is shown until it is stopped, also if it is not chosen any more", () => {
  const backend = (key: string, state: BackendState["state"]) => ({ key, state, framework: "koa" }) as BackendState;
  const both = [backend("main", "running"), backend("other", "running")];
  assert.deepEqual(listShown(["main"], both), ["main", "other"]);
  assert.deepEqual(listShown(["main"], [backend("other", "stopped")]), ["main"]);
  assert.equal(findBeside(both), "koa");
  assert.equal(findBeside([backend("main", "running"), backend("other", "stopped")]), undefined);
});

test("an answer offers its id to requests of its resource, and to references to it", () => {
  const answer = (body: string, status = 201) =>
    ({ status, body, headers: [["ETag", '"1"']] }) as unknown as SendAnswer;
  const known = learn({}, { method: "POST", path: "/items" }, answer('{"id":"7","name":"a"}'));
  assert.deepEqual(known, { items: { id: "7", "If-Match": '"1"' } });
  const both = learn(known, { method: "GET", path: "/orders/{id}" }, answer('{"id":"8"}', 200));
  assert.deepEqual([both["items"]?.["id"], both["orders"]?.["id"]], ["7", "8"]);
  assert.deepEqual(learn(known, { method: "GET", path: "/items/{id}" }, answer('{"id":"9"}', 404)), known);
  assert.deepEqual(learn(known, { method: "DELETE", path: "/items/{id}" }, answer("", 204)), {});
  const schema = { type: "object", properties: { itemId: { type: "string", "x-references": "items" } } };
  const content = { "application/json": { schema: { $ref: "#/components/schemas/NewOrder" } } };
  const [operation] = listOperations({
    paths: { "/orders": { post: { requestBody: { content } } } },
    components: { schemas: { NewOrder: schema } },
  } as never);
  assert.deepEqual(operation?.references, { itemId: "items" });
  const fill = (known: object) =>
    JSON.parse(fillReferences('{"itemId":"x","n":1}', { itemId: "items" }, known as never));
  assert.deepEqual(
    [fill(both), fill({})],
    [
      { itemId: "7", n: 1 },
      { itemId: "x", n: 1 },
    ],
  );
});
