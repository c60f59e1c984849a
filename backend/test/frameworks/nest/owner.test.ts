import "reflect-metadata";
import assert from "node:assert/strict";
import { test } from "node:test";
import { Controller, Post } from "@nestjs/common";
import type { ModulesContainer } from "@nestjs/core";
import { findMethod, nameOrigins } from "../../../src/core/frameworks/nest/request.ts";

test("routes of two controllers that have one name are told apart", () => {
  const controllers = ["1", "2"].map(createController);
  const metatypes = new Map(controllers.map((metatype, index) => [index, { metatype }]));
  const modules = new Map([["app", { controllers: metatypes }]]) as unknown as ModulesContainer;
  nameOrigins(modules);
  for (const controller of controllers) {
    assert.deepEqual(findMethod([toHandler(controller.prototype.create)], modules), { controller, method: "create" });
    const [inherited] = [toHandler(controller.prototype.remove)];
    assert.equal(findMethod([inherited], modules)?.method, "remove");
  }
});

class Base {
  remove() {}
}
Post("remove")(
  Base.prototype,
  "remove",
  Object.getOwnPropertyDescriptor(Base.prototype, "remove") as PropertyDescriptor,
);

function createController(version: string) {
  class CatsController extends Base {
    create() {}
  }
  const { prototype } = CatsController;
  Post()(prototype, "create", Object.getOwnPropertyDescriptor(prototype, "create") as PropertyDescriptor);
  Controller({ path: "cats", version })(CatsController);
  return CatsController;
}

/** As Nest makes it of a method: with a name after both, and its metadata. */
function toHandler(method: () => void): () => void {
  const handler = { [`CatsController.${method.name}`]: () => {} }[`CatsController.${method.name}`] as () => void;
  for (const key of Reflect.getMetadataKeys(method))
    Reflect.defineMetadata(key, Reflect.getMetadata(key, method), handler);
  return handler;
}
