import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { firstIn } from "../../../backend/test/support/matrix.ts";
import { writeFiles } from "../../src/new/write.ts";
import type { Extension } from "../owner/extension.ts";
import { addMount, extend, followReadme } from "../owner/project.ts";
import { buildWithoutPackages, project, writeOut } from "../support.ts";
import { describe as describeProject } from "./describe.ts";
import { lint } from "./lint.ts";
import { declaring } from "./routes.ts";

interface Operation {
  operationId: string;
  summary: string;
  tags?: string[];
  parameters?: { name: string; in: string; required?: boolean; schema: object; description?: string }[];
  requestBody?: { required: boolean; content: Record<string, { schema?: object }> };
  responses: Record<string, { $ref?: string; description?: string; content?: Record<string, { schema?: object }> }>;
}

const text = {
  type: "object",
  properties: { text: { type: "string", minLength: 1, maxLength: 50 } },
  required: ["text"],
  additionalProperties: false,
};
const frameworks = firstIn("fastify");
const folders = await Promise.all(frameworks.map(async (framework) => [framework, await own(framework)] as const));

for (const [framework, folder] of folders)
  describe(`openapi.json describes the routes of an owner in ${framework}`, () => {
    const at = (path: string, method: string): Operation => readDocument(folder).paths[path]?.[method];

    /** Express and Koa have neither validators nor words about a route. */
    const isPlain = ["express", "koa"].includes(framework);

    test("as they declare themselves: parameters, body and answers", async () => {
      writeFileSync(join(folder, "openapi.json"), (await describeProject(folder)).text);
      const { parameters = [], requestBody, responses } = at("/search/{kind}", "post");
      const { type, schema } = readContent(requestBody?.content);
      assert.equal(requestBody?.required, true);
      assert.equal(type, "application/json");
      const expected = framework === "nest" ? without(text, "additionalProperties") : text;
      assert.deepEqual(schema, expected);
      const page = parameters.find(({ name }) => name === "page");
      const kind = parameters.find(({ name }) => name === "kind");
      assert.deepEqual([kind?.in, kind?.required], ["path", true]);
      if (!isPlain) {
        assert.partialDeepStrictEqual(page, { in: "query", schema: { type: "integer", minimum: 1 } });
        assert.equal(page?.required, undefined);
        if (framework !== "h3") assert.partialDeepStrictEqual(kind?.schema, { enum: ["a", "b"] });
      }
      const accepted = responses["202"];
      assert.equal(accepted?.description, "Accepted");
      assert.deepEqual(readContent(accepted?.content), { type: "application/json", schema: expected });
      assert.equal(responses["204"]?.content, undefined);
      assert.equal(responses["200"], undefined);
      assert.equal(responses["default"]?.$ref, "#/components/responses/Problem");
      for (const status of [400, 401, 413, 415, 500, 503]) assert.ok(responses[status]?.$ref, `${status}`);
    });

    test("in the words of a route, with its tags", () => {
      const { summary, tags } = at("/search/{kind}", "post");
      const expected = isPlain ? ["POST /search/{kind}", undefined] : ["Finds texts", ["texts"]];
      assert.deepEqual([summary, tags], expected);
      const known = readDocument(folder).tags.map(({ name }: { name: string }) => name);
      assert.equal(known.includes("texts"), !isPlain);
    });

    test("as the README's example answers: 201, with a body", () => {
      const { requestBody, responses } = at("/hello", "post");
      const { schema } = readContent(requestBody?.content);
      assert.partialDeepStrictEqual(schema, { properties: { text: { type: "string", maxLength: 100 } } });
      assert.deepEqual(successesIn(responses), ["201"]);
      assert.ok(readContent(responses["201"]?.content).type);
    });

    test("without what was not seen: no body, no status, no Idempotency-Key", () => {
      for (const [path, method] of [
        ["/names/{name}", "get"],
        ["/echo", "post"],
      ] as const) {
        const { requestBody, parameters = [], responses } = at(path, method);
        if (framework !== "nest") {
          assert.equal(requestBody, undefined);
          assert.deepEqual(successesIn(responses), []);
          assert.equal(responses["default"]?.$ref, "#/components/responses/AnyAnswer");
        }
        assert.deepEqual(
          parameters.map((one) => one.in),
          path === "/echo" ? [] : ["path"],
        );
      }
      assert.equal(at("/echo", "post").responses["200"] !== undefined, framework === "nest");
    });

    test("without those that are no part of the API: hidden ones, and those for WebSockets", () => {
      const { paths } = readDocument(folder);
      assert.deepEqual(
        Object.keys(paths).filter((path) => /^\/(hidden|chat)/.test(path)),
        [],
      );
    });

    test("and keeps what the owner writes about them, except what the route itself says", async () => {
      const document = readDocument(folder);
      const search: Operation = document.paths["/search/{kind}"].post;
      const echo: Operation = document.paths["/echo"].post;
      search.summary = "Searches";
      for (const one of search.parameters ?? []) one.description = "Mine";
      search.requestBody = { required: false, content: { "application/json": { schema: { type: "string" } } } };
      search.responses["302"] = { description: "Mine" };
      search.responses["201"] = { description: "Untrue" };
      echo.requestBody = { required: true, content: { "application/json": { schema: { type: "object" } } } };
      echo.responses["200"] = { description: "What was sent", content: { "application/json": {} } };
      writeFileSync(join(folder, "openapi.json"), JSON.stringify(document));
      const { faults, text: written } = await describeProject(folder);
      assert.match(faults.join(), /POST \/search\/\{kind\}/);
      writeFileSync(join(folder, "openapi.json"), written);
      const after = at("/search/{kind}", "post");
      assert.equal(after.summary, isPlain ? "Searches" : "Finds texts");
      assert.ok(after.parameters?.every(({ description }) => description === "Mine"));
      assert.equal(after.requestBody?.required, true);
      assert.deepEqual((readContent(after.requestBody?.content).schema as { type: string }).type, "object");
      assert.deepEqual(successesIn(after.responses), framework === "nest" ? ["202"] : ["202", "204"]);
      assert.deepEqual(after.responses["302"], { description: "Mine" });
      assert.deepEqual(at("/echo", "post").requestBody, echo.requestBody);
      assert.equal(at("/echo", "post").responses["200"]?.description, "What was sent");
      assert.equal(at("/echo", "post").responses["default"]?.$ref, "#/components/responses/Problem");
    });

    test("and is then up to date", async () => {
      assert.deepEqual((await describeProject(folder)).faults, []);
    });
  });

test(`a linter finds nothing in these documents: ${frameworks.join(", ")}`, () =>
  lint(folders.map(([, folder]) => folder)));

/** A project whose owner has followed the README, and has added the routes of the tests. */
async function own(framework: string): Promise<string> {
  const folder = writeOut(project({ framework, database: "sqlite", features: ["auth"] }));
  await followReadme(folder);
  const { extension }: { extension: Extension } = await import(`../owner/${framework}.ts`);
  extend(folder, extension);
  const { imports, code, mount } = declaring[framework] ?? assert.fail(framework);
  writeFiles(folder, [["src/search/routes.ts", `${imports}\n\n${code}\n`]]);
  const name = framework === "nest" ? "SearchModule" : "search";
  addMount(folder, [`import { ${name} } from "./search/routes.ts";`, mount]);
  // Node cannot load decorators from the sources.
  if (framework === "nest") await buildWithoutPackages(folder);
  return folder;
}

function readDocument(folder: string) {
  return JSON.parse(readFileSync(join(folder, "openapi.json"), "utf8"));
}

function readContent(content: Record<string, { schema?: object }> = {}): {
  type?: string;
  schema?: object | undefined;
} {
  const [[type, media] = []] = Object.entries(content);
  return type === undefined ? {} : { type, schema: media?.schema };
}

function successesIn(responses: Operation["responses"]): string[] {
  return Object.keys(responses).filter((status) => status.startsWith("2"));
}

function without<T extends object>(value: T, name: string): object {
  return Object.fromEntries(Object.entries(value).filter(([one]) => one !== name));
}
