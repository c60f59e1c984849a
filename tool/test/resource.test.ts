import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Fault } from "../src/fault.ts";
import { resourceExample } from "../src/new/choices.ts";
import { toNames } from "../src/new/names.ts";
import { inOrder } from "../src/new/references.ts";
import { readRequest } from "../src/new/request.ts";
import { parseResources, writeResource } from "../src/new/resource.ts";

describe("a resource", () => {
  const written: [string, string, number][] = [
    [resourceExample, resourceExample, 2],
    ["orders:n:integer", "orders: n:integer", 1],
    ["  orders :  n:integer ,m:number(min=0,max=5)?,", "orders: n:integer, m:number(0..5)?", 2],
    ['orders: note:string="a, b", n:integer=5', 'orders: note:string="a, b", n:integer=5', 2],
    ['orders: tags:string[]=["a","b)"], n:integer', 'orders: tags:string[]=["a","b)"], n:integer', 2],
    ["order-lines: kind:enum(a|b), tags:string[]", "order-lines: kind:enum(a|b), tags:string[]", 2],
  ];
  for (const [text, again, fields] of written)
    test(`is read from "${text}", and can be written and read again`, () => {
      const [resource = assert.fail()] = parseResources([text]);
      assert.equal(resource.fields.length, fields);
      assert.equal(writeResource(resource), again);
      assert.deepEqual(parseResources([again]), [resource]);
    });

  const faults: [string, string, RegExp][] = [
    ["", "resource_name", /cannot name a resource/],
    ["orders", "resource_fields", /no fields. Write it like "orders: /],
    ["orders:", "resource_fields", /no fields/],
    ["orders: ,", "resource_fields", /no fields/],
    ["Orders: n:integer", "resource_name", /lower-case/],
    ["order_lines: n:integer", "resource_name", /lower-case/],
    ["orderLines: n:integer", "resource_name", /lower-case/],
    ["order--lines: n:integer", "resource_name", /lower-case/],
    ["orders n:integer", "resource_name", /lower-case/],
    ["größen: n:integer", "resource_name", /lower-case/],
    ["../orders: n:integer", "resource_name", /lower-case/],
    [`${"a".repeat(28)}s: n:integer`, "resource_name", /at most 28/],
    ["order: n:integer", "resource_name", /in the plural/],
    ["n:integer", "resource_name", /in the plural/],
    ["address: n:integer", "resource_name", /in the plural/],
    ["status: n:integer", "resource_name", /in the plural/],
    ["class: n:integer", "resource_name", /in the plural/],
    ["select: n:integer", "resource_name", /in the plural/],
    ["constructor: n:integer", "resource_name", /in the plural/],
    ["health: n:integer", "resource_reserved", /answers there already/],
    ["items: n:integer", "resource_reserved", /--field/],
    ["webhooks: n:integer", "resource_reserved", /--webhook/],
    ["fields: n:integer", "resource_reserved", /folder/],
    ["parts: n:integer", "resource_reserved", /another name/],
    ["problems: n:integer", "resource_reserved", /another name/],
    ["arguments: n:integer", "resource_reserved", /JavaScript/],
    ["orders: id:integer", "field_reserved", /In the resource "orders": Every item has "id"/],
    ["orders: n:integr", "field_type", /In the resource "orders": .*Did you mean integer/],
    ["orders: n:integer, n:integer", "field_repeated", /In the resource "orders"/],
    ["item-pages: n:integer", "resource_name", /"items" and "item-pages" would both make a schema ItemPage/],
    ["new-items: n:integer", "resource_name", /would both make a schema NewItem/],
  ];
  for (const [text, code, message] of faults)
    test(`"${text}" is refused as ${code}`, () => {
      assert.throws(
        () => parseResources([text]),
        (error) => error instanceof Fault && error.code === code && message.test(error.message),
      );
    });

  test("is refused when it is declared twice, or differs from another only in its plural", () => {
    for (const [one, other, code] of [
      ["orders", "orders", "resource_repeated"],
      ["people", "persons", "resource_name"],
    ])
      assert.throws(
        () => parseResources([`${one}: n:integer`, `${other}: n:integer`]),
        (error) => error instanceof Fault && error.code === code,
      );
  });

  test("is one of several", () => {
    const words = {
      orders: "order",
      categories: "category",
      movies: "movie",
      ties: "tie",
      keys: "key",
      boxes: "box",
      dishes: "dish",
      branches: "branch",
      addresses: "address",
      statuses: "status",
      houses: "house",
      courses: "course",
      invoices: "invoice",
      news: "news",
      people: "person",
      "order-lines": "order-line",
      "price-categories": "price-category",
    };
    for (const [plural, singular] of Object.entries(words)) assert.equal(toNames(plural).singular, singular);
    assert.deepEqual(toNames("order-lines").types, ["OrderLines", "OrderLine"]);
  });

  const requests: [string[], string[], string, RegExp][] = [
    [["a:ref(orders)"], [], "ref_unknown", /"a" of the items refers to an unknown resource: .*Choose from: items/],
    [["a:string"], ["orders: a:ref(ordres)", "lines: a:string"], "ref_unknown", /Did you mean orders\?/],
    [["a:ref(items)?"], [], "ref_circle", /items → items/],
    [["a:ref(orders)"], ["orders: a:ref(items)"], "ref_circle", /items → orders → items/],
    [
      ["a:string"],
      ["lines: a:ref(orders)", "orders: a:ref(notes)", "notes: a:ref(lines)"],
      "ref_circle",
      /lines → orders → notes → lines\. Make one of the fields a uuid/,
    ],
  ];
  for (const [fields, resources, code, message] of requests)
    test(`with an invalid reference is refused as ${code}: ${[...fields, ...resources].join("; ")}`, () => {
      assert.throws(
        () => readRequest({ name: "x", framework: "koa", fields, resources }),
        (error) => error instanceof Fault && error.code === code && message.test(error.message),
      );
    });

  test("is made after those that it refers to", () => {
    const all = parseResources(["lines: a:ref(orders), b:ref(notes)", "notes: a:ref(orders)", "orders: a:string"]);
    assert.deepEqual(
      inOrder(all).map(({ name }) => name),
      ["orders", "notes", "lines"],
    );
  });
});
