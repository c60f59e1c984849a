import assert from "node:assert/strict";
import { allowAt, isDescribed, type Operation, operationsIn, otherMethodsAt, takesAnyMethod } from "./document.ts";
import { Skipped } from "./skipped.ts";
import {
  begin,
  type Check,
  checkCommonHeaders,
  each,
  expectAnyProblem,
  expectNoPlugin,
  expectNotFound,
  expectProblem,
  message,
  type Running,
  type Sent,
  send,
} from "./suite.ts";
import { type Reply, Wire } from "./wire.ts";

const allMethods =
  "GET HEAD POST PUT PATCH DELETE OPTIONS TRACE COPY LOCK MKCOL MOVE PROPFIND PROPPATCH SEARCH UNLOCK BIND REBIND UNBIND ACL REPORT MKACTIVITY CHECKOUT MERGE M-SEARCH NOTIFY SUBSCRIBE UNSUBSCRIBE MKCALENDAR LINK UNLINK PURGE SOURCE QUERY".split(
    " ",
  );

/** Statuses that refuse a body after it was read. All others need the headers only. */
const statusesAfterReading = [400, 413, 422];

/** Checks for every operation of the document. */
export const operationChecks: Check<Running>[] = [
  {
    name: "any method that a path does not have is 405 with Allow",
    async run(subject) {
      await each(pathsWithMethods(subject), async (operation) => {
        const { target } = operation;
        const allow = allowAt(subject.document, operation);
        const others = allMethods.filter((method) => !allow.split(", ").includes(method));
        await each(others, async (method) => {
          const reply = await send(subject, { path: target, method });
          expectNoGuard(reply, operation);
          if (method === "HEAD") assert.equal(reply.status, 405);
          else expectProblem(reply, 405, "method_not_allowed");
          assert.equal(reply.headers["allow"], allow);
        });
      });
    },
  },
  {
    name: "OPTIONS on a path answers 204 with Allow",
    async run(subject) {
      const { document } = subject;
      const unanswered = pathsWithMethods(subject).filter((one) => !otherMethodsAt(document, one).includes("OPTIONS"));
      await each(unanswered, async (operation) => {
        const { target } = operation;
        const reply = await send(subject, { path: target, method: "OPTIONS" });
        expectNoPlugin(reply);
        expectNoGuard(reply, operation);
        assert.equal(reply.status, 204, `${reply.status} ${reply.body}`);
        assert.equal(reply.headers["allow"], allowAt(document, operation));
        assert.equal(reply.headers["content-length"], undefined);
        assert.equal(reply.headers["content-type"], undefined);
      });
    },
  },
  {
    name: "GET answers as openapi.json says, and HEAD without a body",
    async run(subject) {
      await each(withMethod(subject, "GET"), async (operation) => {
        const { target } = operation;
        const get = await begin(subject, message(subject, { path: target }));
        expectDescribed(operation, get);
        if (!get.isWhole) throw new Skipped(`GET ${target} streams: only the beginning of its answer was checked.`);
        if (get.status >= 400) expectAnyProblem(get);
        const head = await fetchHead(subject, target);
        // A failure may be over.
        if ([get, head].some(({ status }) => status >= 500)) return;
        // An owner's own handler may answer HEAD otherwise, and a route of a package may be without it.
        const isMissing = get.status < 400 && [404, 405].includes(head.status);
        if (!operation.isGenerated && isMissing) throw new Skipped(`HEAD ${target} answered ${head.status}.`);
        if (!operation.isGenerated || takesAnyMethod(subject.document, operation)) return;
        assert.deepEqual(
          [head.status, head.headers["content-type"]],
          [get.status, get.headers["content-type"]],
          "HEAD differs from GET",
        );
      });
    },
  },
  {
    name: "a body over the limit of its operation is 413",
    async run(subject) {
      const withBody = operationsIn(subject.document).filter(({ bodyType }) => bodyType !== undefined);
      await each(withBody, async (operation) => {
        const reply = await send(subject, tooLarge(operation, subject.bodyLimitBytes));
        if (isRedirect(reply)) throw new Skipped(`${operation.method} ${operation.target} answered ${reply.status}.`);
        const wasRead = reply.status < 400 || reply.status >= 500 || statusesAfterReading.includes(reply.status);
        if (wasRead) expectProblem(reply, 413, "body_too_large");
        else expectAnyProblem(reply);
      });
    },
  },
  {
    name: "an unknown path below a known one is 404",
    async run(subject) {
      // A parameter at the end may be a wildcard, which the document does not show.
      const whole = paths(subject).filter(({ path }) => !path.endsWith("}"));
      const below = whole.flatMap((operation) =>
        ["/", "/nowhere", "/no/where"].map((end) => ({ operation, path: operation.target + end })),
      );
      const unknown = below.filter(({ path }) => !path.startsWith("//") && !isDescribed(subject.document, path));
      await each(unknown, async ({ operation, path }) => {
        for (const method of ["GET", "POST", "OPTIONS", "DELETE"]) {
          const reply = await send(subject, { path, method });
          if (method === "OPTIONS") expectNoPlugin(reply);
          expectNoGuard(reply, operation);
          expectNotFound(reply, `${method} ${path}`);
        }
      });
    },
  },
];

/** As an owner's own login answers, before it reads the body. */
const isRedirect = ({ status }: Reply) => status >= 300 && status < 400;

/** Middleware of the owner may refuse everything below a path. Every request here has a valid token. */
function expectNoGuard({ status }: Reply, { isGenerated, target }: Operation): void {
  if (status === 403 || (!isGenerated && status === 401))
    throw new Skipped(`A guard of the app refuses requests at ${target} with ${status}.`);
}

/** Checks the status and the media type of an answer. Every problem is described. */
function expectDescribed({ method, path, answers }: Operation, { status, headers }: Reply): void {
  const said = `${method} ${path} answered ${status}`;
  const answer = answers[status] ?? answers[`${Math.floor(status / 100)}XX`] ?? answers["default"];
  const types = Object.keys(answer?.content ?? {});
  const type = headers["content-type"]?.split(";")[0]?.trim().toLowerCase();
  const isOnlyProblem = types.every((one) => one === "application/problem+json");
  assert.ok(
    answer && (status >= 400 || answer !== answers["default"] || !isOnlyProblem),
    `${said}, which openapi.json does not describe`,
  );
  if (type === undefined || status >= 400) return;
  const isType = (one: string) => one === "*/*" || one === type || one === `${type.split("/")[0]}/*`;
  assert.ok(types.some(isType), `${said} with ${type}, but openapi.json describes ${types.join(", ") || "no content"}`);
}

/** The answer to HEAD. A second request follows it at once: its answer could not be parsed if HEAD had a body. */
async function fetchHead(subject: Running, path: string): Promise<Reply> {
  const both = [message(subject, { path, method: "HEAD" }), message(subject, { path: "/health" })];
  const wire = new Wire(subject.url).send(Buffer.concat(both));
  try {
    const head = await wire.reply({ isHead: true });
    checkCommonHeaders(head);
    if (head.headers["connection"] !== "close") assert.equal((await wire.reply()).status, 200, "what follows HEAD");
    return head;
  } finally {
    wire.end();
  }
}

/** One operation of each path. */
function paths({ document }: Running): Operation[] {
  return [...new Map(operationsIn(document).map((one) => [one.path, one])).values()];
}

/** Without those whose handlers get every method. */
function pathsWithMethods(subject: Running): Operation[] {
  return paths(subject).filter((operation) => !takesAnyMethod(subject.document, operation));
}

function withMethod({ document }: Running, method: string): Operation[] {
  return operationsIn(document).filter((one) => one.method === method);
}

function tooLarge({ method, target, bodyType = "", bodyLimitBytes }: Operation, usual: number): Sent {
  const body = Buffer.alloc((bodyLimitBytes ?? usual) + 1, " ");
  // Without a boundary, the headers of a form refuse it.
  const type = bodyType.startsWith("multipart/") ? `${bodyType}; boundary=x` : bodyType;
  return { method, path: target, headers: { "Content-Type": type }, body };
}
