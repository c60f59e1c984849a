import assert from "node:assert/strict";
import { test } from "node:test";
import { findBase, findVariables } from "../../src/publish/dockerfile.ts";

test("the base of an image is what its last stage begins with", () => {
  const cases: [string, string | undefined][] = [
    ["FROM node:26 AS build\nRUN x\nFROM --platform=linux/arm64 gcr.io/a/b:c\n", "gcr.io/a/b:c"],
    ["FROM node:26 AS build\nFROM build AS test\nfrom TEST\n", "node:26"],
    [`ARG TAG="26" NAME=node\nARG OTHER\nFROM $NAME:\${TAG}\n`, "node:26"],
    ["ARG TAG\nFROM node:$TAG\n", undefined],
    ["FROM node:26\nFROM scratch\n", undefined],
    ["# FROM a\nFROM \\\n  node:26 \\\n  AS x\n", "node:26"],
    ["", undefined],
    ["FROM node:26\nRUN <<END\nFROM other\nEND\n", "node:26"],
  ];
  for (const [text, base] of cases) assert.equal(findBase(text), base, text);
});

test("the variables of a Dockerfile are found in every form, and not in scripts", () => {
  const cases: [string, string[]][] = [
    ["ENV A=b C=\"d e\" \\\n  # a comment\n  E='f' G=h\\ i\n", ["1 A b", "1 C d e", "1 E f", "1 G h i"]],
    ["# escape=`\nENV A=b `\n  C=d\n", ["2 A b", "2 C d"]],
    ["FROM x\nENV OLD  a b\nARG NONE\nARG ONE=1\n", ["2 OLD a b", "4 ONE 1"]],
    ["ONBUILD env A=b\n", ["1 A b"]],
    ["RUN <<END\nENV A=b\nEND\nENV C=d\n", ["4 C d"]],
  ];
  for (const [text, expected] of cases)
    assert.deepEqual(
      findVariables(text).map(({ line, name, value }) => `${line} ${name} ${value}`),
      expected,
      text,
    );
});
