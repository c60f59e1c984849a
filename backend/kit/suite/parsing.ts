import assert from "node:assert/strict";
import { type Check, each, exchange, expectJson, expectProblem, message, type Subject } from "./suite.ts";
import { Wire } from "./wire.ts";

const badHosts = [
  "",
  "Host: a\r\nHost: a\r\n",
  "Host: a\r\nhost: b\r\n",
  "Host: a b\r\n",
  "Host: a/b\r\n",
  "Host: a@b\r\n",
  "Host: a?b\r\n",
  "Host: a#b\r\n",
  "Host: [::1\r\n",
  "Host: a:99999\r\n",
  "Host: a:\r\n",
  "Host: %61\r\n",
  "Host: a:b\r\n",
  "Host: http://a\r\n",
  "Host: \xff\r\n",
  "Host: a\\b\r\n",
];

export const parsingChecks: Check[] = [
  {
    name: "what is not well-formed HTTP is 400",
    async run(subject) {
      await each(notHttp(subject), async (bytes) => {
        expectProblem(await exchange(subject, bytes), 400, "bad_request");
      });
    },
  },
  {
    name: "a missing, repeated or invalid Host is 400",
    async run(subject) {
      await each(badHosts, async (host) => {
        for (const path of [subject.path, "/nowhere"]) {
          expectProblem(await exchange(subject, `GET ${path} HTTP/1.1\r\n${host}\r\n`), 400, "bad_request");
        }
      });
    },
  },
  {
    name: "a request that ends in the middle is 400",
    async run(subject) {
      const { path } = subject;
      await each(
        [`GET ${path} HT`, `GET ${path} HTTP/1.1\r\nHost: loc`, `${postHead(subject)}Content-Length: 10\r\n\r\n{`],
        async (bytes) => {
          const wire = new Wire(subject.url).send(bytes);
          wire.socket.end();
          expectProblem(await wire.reply(), 400, "bad_request");
          await wire.closed();
        },
      );
    },
  },
  {
    name: "the connection is closed after bytes that cannot be parsed",
    async run(subject) {
      const wire = new Wire(subject.url).send("garbage\r\n\r\n");
      const reply = await wire.reply();
      assert.equal(reply.headers["connection"], "close");
      await wire.closed();
      assert.equal(wire.rest, "");
    },
  },
  {
    name: "a request before bytes that cannot be parsed still gets its answer",
    async run(subject) {
      const wire = new Wire(subject.url);
      wire.send(
        Buffer.concat([message(subject, {}), message(subject, { path: "/health" }), Buffer.from("garbage\r\n\r\n")]),
      );
      expectJson(await wire.reply(), 200);
      expectJson(await wire.reply(), 200);
      expectProblem(await wire.reply(), 400, "bad_request");
      await wire.closed();
    },
  },
  {
    name: "empty lines before a request are ignored",
    async run(subject) {
      expectJson(await exchange(subject, Buffer.concat([Buffer.from("\r\n\r\n"), message(subject, {})])), 200);
    },
  },
];

function notHttp(subject: Subject): string[] {
  const { path } = subject;
  const post = postHead(subject);
  return [
    "garbage\r\n\r\n",
    "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".padEnd(80, "\x00"),
    "GET\r\n\r\n",
    `GET ${path}\r\n\r\n`,
    `GET ${path} HTTP/9.9\r\nHost: localhost\r\n\r\n`,
    `GET ${path} HTTP/2.0\r\nHost: localhost\r\n\r\n`,
    `GET ${path} HTTX/1.1\r\nHost: localhost\r\n\r\n`,
    `GET ${path} HTTP/1.1 x\r\nHost: localhost\r\n\r\n`,
    `GET ${path.slice(0, 3)} ${path.slice(3)} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
    `GET ${path}\x80 HTTP/1.1\r\nHost: localhost\r\n\r\n`,
    `GET ${path.slice(0, 3)}\xe9${path.slice(3)} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
    "GET  HTTP/1.1\r\nHost: localhost\r\n\r\n",
    `GET ${path.slice(1)} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
    `GET ${path} HTTP/1.1\r\nHost: localhost\r\nno colon\r\n\r\n`,
    `GET ${path} HTTP/1.1\r\nHost: localhost\r\n: no name\r\n\r\n`,
    `GET ${path} HTTP/1.1\r\nHost: localhost\r\nBad Name: x\r\n\r\n`,
    `GET ${path} HTTP/1.1\r\nHost : localhost\r\n\r\n`,
    `GET ${path} HTTP/1.1\r\nHost: localhost\r\nX: a\x00b\r\n\r\n`,
    `GET ${path} HTTP/1.1\r\nHost: localhost\r\nX: a\rb\r\n\r\n`,
    `GET ${path} HTTP/1.1\r\nHost: localhost\r\nX: a\r\n folded\r\n\r\n`,
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    `${post}Content-Length: x\r\n\r\n`,
    `${post}Content-Length: -1\r\n\r\n`,
    `${post}Content-Length: +2\r\n\r\n{}`,
    `${post}Content-Length: 2, 2\r\n\r\n{}`,
    `${post}Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}`,
    `${post}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
    `${post}Content-Length: 99999999999999999999999\r\n\r\n`,
    `${post}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    `${post}Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n0\r\n\r\n`,
    `${post}Transfer-Encoding: gzip\r\n\r\n`,
    `${post}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
    `${post}Transfer-Encoding: chunked, identity\r\n\r\n`,
    `${post}Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n`,
    `${post}Transfer-Encoding: chunked\r\n\r\n-1\r\n\r\n`,
    `${post}Transfer-Encoding: chunked\r\n\r\n5\r\nabcdefgh\r\n0\r\n\r\n`,
    `${post}Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n`,
    `${post}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\nxyz\r\n\r\n`,
  ];
}

/** The head of a creation, without its length. */
function postHead(subject: Subject): string {
  const head = message(subject, { method: "POST", headers: { "Content-Type": "application/json" } });
  return head.toString("latin1").slice(0, -2);
}
