import "reflect-metadata";
import assert from "node:assert/strict";
import { test } from "node:test";
import { Controller, Get } from "@nestjs/common";
import { declare } from "../../../src/core/frameworks/nest/request.ts";

const isOpen = Symbol("open");
const limit = Symbol("limit");

test("what a controller declares applies to the routes that it inherits, and not to those of its siblings", () => {
  class Base {
    list() {
      return [this.constructor.name];
    }

    help() {
      return "help";
    }
  }
  class One extends Base {}
  class Other extends Base {}
  const list = Reflect.getOwnPropertyDescriptor(Base.prototype, "list") as PropertyDescriptor;
  Get("all")(Base.prototype, "list", list);
  for (const decorate of [Controller("one"), declare(isOpen, true)]) (decorate as ClassDecorator)(One);
  Controller("other")(Other);

  const read = (key: string | symbol, { prototype }: typeof Base) => Reflect.getMetadata(key, prototype.list);
  assert.deepEqual([read(isOpen, One), read("path", One)], [true, "all"]);
  assert.deepEqual(new One().list(), ["One"]);
  for (const sibling of [Base, Other]) assert.equal(read(isOpen, sibling), undefined, sibling.name);
  assert.equal(One.prototype.help, Base.prototype.help);
});

test("what a method declares comes before what its controller declares", () => {
  class Rooms {
    vault() {}
    lobby() {}
  }
  for (const name of ["vault", "lobby"] as const)
    Get(name)(Rooms.prototype, name, Reflect.getOwnPropertyDescriptor(Rooms.prototype, name) as PropertyDescriptor);
  const vault = Reflect.getOwnPropertyDescriptor(Rooms.prototype, "vault") as PropertyDescriptor;
  (declare(limit, 1) as MethodDecorator)(Rooms.prototype, "vault", vault);
  (declare(limit, 2) as ClassDecorator)(Rooms);
  const limits = [Rooms.prototype.vault, Rooms.prototype.lobby].map((method) => Reflect.getMetadata(limit, method));
  assert.deepEqual(limits, [1, 2]);
});
