import type { Choice, Options } from "./api.ts";

/** The generator's own OpenAPI document. */
export function printOpenApi(options: Options): object {
  const { version, texts } = options;
  const name = { name: "name", in: "path", required: true, schema: text, description: texts.name };
  const parameters = [name, ...listParameters(options)];
  const against = {
    name: "against",
    in: "query",
    required: true,
    schema: text,
    description: "The query of the other project, percent-encoded.",
  };
  const describeProject = (
    operationId: string,
    summary: string,
    type: string,
    schema: object,
    more: object[] = [],
  ) => ({
    get: {
      operationId,
      summary,
      parameters: [...parameters, ...more],
      responses: {
        200: describeAnswer(`${summary}.`, type, schema, downloadHeaders),
        304: { description: "It is the one that If-None-Match names." },
        ...failures,
      },
    },
  });
  return {
    openapi: "3.1.0",
    info: {
      title: "Dory",
      version,
      description: "Makes small JSON API backends in the framework you choose.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/" }],
    security: [],
    paths: {
      "/projects/{name}.tgz": describeProject(
        "getTgz",
        "The project as an archive for tar xz",
        "application/gzip",
        bytes,
      ),
      "/projects/{name}.zip": describeProject(
        "getZip",
        "The project as an archive for unzip",
        "application/zip",
        bytes,
      ),
      "/projects/{name}.json": describeProject("getFiles", "The files of the project", "application/json", project),
      "/projects/{name}.diff": describeProject("getDiff", "What differs from another project", "text/plain", text, [
        against,
      ]),
      "/projects": { post: describePost(options) },
      "/options": describeGet("getOptions", "What can be asked for", "application/json", { type: "object" }),
      "/health": describeGet("getHealth", "Whether it serves", "application/json", { type: "object" }),
      "/": describeGet("getHelp", "The page, or for programs help as text", "text/plain", text),
      "/openapi.json": describeGet("getDocument", "This document", "application/json", { type: "object" }),
    },
  };
}

const text = { type: "string" };
const bytes = { type: "string", format: "binary" };

function describePost(options: Options): object {
  const summary = "The project of a JSON request; Accept chooses the format";
  return {
    operationId: "makeProject",
    summary,
    requestBody: { required: true, content: { "application/json": { schema: createRequestSchema(options) } } },
    responses: {
      200: {
        description: "The project.",
        headers: downloadHeaders,
        content: {
          "application/json": { schema: project },
          "application/gzip": { schema: bytes },
          "application/zip": { schema: bytes },
        },
      },
      ...failures,
      406: describeProblem("None of the formats is accepted."),
      413: describeProblem("The body is too large."),
      415: describeProblem("The body is not JSON."),
    },
  };
}

const describeGet = (operationId: string, summary: string, type: string, schema: object) => ({
  get: {
    operationId,
    summary,
    responses: { 200: describeAnswer(`${summary}.`, type, schema), 405: describeProblem("Only GET and HEAD.") },
  },
});

function describeAnswer(description: string, type: string, schema: object, headers?: object): object {
  return { description, ...(headers ? { headers } : {}), content: { [type]: { schema } } };
}

const downloadHeaders = {
  ETag: { schema: { type: "string" } },
  "Repr-Digest": { schema: { type: "string" }, description: "RFC 9530: the SHA-256 of the bytes." },
};

const project = {
  type: "object",
  required: ["request", "version", "digest", "files"],
  properties: {
    request: { type: "object" },
    version: text,
    digest: { ...text, description: "The SHA-256 of what sha256sum prints for all files in the order of their paths." },
    files: {
      type: "array",
      items: { type: "object", required: ["path", "text"], properties: { path: text, text } },
    },
  },
};

const problem = {
  type: "object",
  required: ["type", "title", "status", "code", "detail"],
  properties: {
    type: text,
    title: text,
    status: { type: "integer" },
    code: text,
    detail: text,
    parameter: text,
    errors: { type: "array", items: { type: "object", properties: { parameter: text, detail: text } } },
  },
};

const describeProblem = (description: string) => describeAnswer(description, "application/problem+json", problem);

const failures = {
  400: describeProblem("A parameter is wrong: it is named, with what to do."),
  429: describeProblem("Too many requests: try again after Retry-After seconds."),
  503: describeProblem("Too many large answers are being sent: try again after Retry-After seconds."),
};

function listParameters({ frameworks, databases, features, sources, nodes, texts }: Options): object[] {
  return [
    describeParameter("framework", listNames(frameworks), "Needed, unless services are named."),
    describeParameter("database", listNames(databases)),
    describeParameter("node", listNames(nodes)),
    describeParameter("field", { type: "array", items: text }, texts.field),
    describeParameter("resource", { type: "array", items: text }, texts.resource),
    describeParameter("with", { type: "array", items: listNames(features) }),
    describeParameter("webhook", { type: "array", items: listNames(sources) }),
    describeParameter(
      "service",
      { type: "array", items: text },
      "For an application: a service and its framework, like api=hono.",
    ),
  ];
}

function describeParameter(name: string, schema: object, description?: string): object {
  return { name, in: "query", schema, ...(description === undefined ? {} : { description }) };
}

const listNames = (choices: Choice[]) => ({ type: "string", enum: choices.map(({ name }) => name) });

function createRequestSchema({ frameworks, databases, features, sources, nodes }: Options): object {
  const properties = {
    name: text,
    framework: listNames(frameworks),
    database: listNames(databases),
    fields: { type: "array", items: text },
    resources: { type: "array", items: text },
    features: { type: "array", items: listNames(features) },
    webhooks: { type: "array", items: listNames(sources) },
  };
  const services = { type: "array", minItems: 1, items: { type: "object", required: ["name"], properties } };
  return { type: "object", required: ["name"], properties: { ...properties, services, node: listNames(nodes) } };
}
