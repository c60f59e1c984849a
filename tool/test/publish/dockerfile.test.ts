import assert from "node:assert/strict";
import { test } from "node:test";
import { baseOf } from "../../src/publish/dockerfile.ts";

test("the base of an image is what its last stage begins with", () => {
  const cases: [string, string | undefined][] = [
    ["FROM node:26 AS build\nRUN x\nFROM --platform=linux/arm64 gcr.io/a/b:c\n", "gcr.io/a/b:c"],
    ["FROM node:26 AS build\nFROM build AS test\nfrom TEST\n", "node:26"],
    [`ARG TAG="26" NAME=node\nARG OTHER\nFROM $NAME:\${TAG}\n`, "node:26"],
    ["ARG TAG\nFROM node:$TAG\n", undefined],
    ["FROM node:26\nFROM scratch\n", undefined],
    ["# FROM a\nFROM \\\n  node:26 \\\n  AS x\n", "node:26"],
    ["", undefined],
  ];
  for (const [text, base] of cases) assert.equal(baseOf(text), base, text);
});
