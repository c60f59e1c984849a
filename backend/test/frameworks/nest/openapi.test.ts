import "reflect-metadata";
import assert from "node:assert/strict";
import { test } from "node:test";
import { Body, UploadedFile, UploadedFiles } from "@nestjs/common";
import { IsString } from "class-validator";
import { readRoute } from "../../../kit/openapi/frameworks/nest/route.ts";

class Picture {
  title!: string;
}
IsString()(Picture.prototype, "title");

class Pictures {
  one() {}
  several() {}
  described() {}
}
for (const [method, first] of [
  ["one", UploadedFile()],
  ["several", UploadedFiles()],
  ["described", undefined],
] as const) {
  first?.(Pictures.prototype, method, 0);
  Body()(Pictures.prototype, method, 1);
  Reflect.defineMetadata("design:paramtypes", [Object, Picture], Pictures.prototype, method);
}

test("a body that comes with files is a form", () => {
  const read = (method: string) => readRoute({ controller: Pictures, method });
  assert.deepEqual(
    ["one", "several", "described"].map((method) => read(method).bodyType),
    ["multipart/form-data", "multipart/form-data", undefined],
  );
  const fields = { type: "object", properties: { title: { type: "string" } }, required: ["title"] };
  for (const method of ["one", "described"]) assert.deepEqual(read(method).body, fields);
});
