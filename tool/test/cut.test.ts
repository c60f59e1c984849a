import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { cut, cutExports } from "../src/new/slice/cut.ts";

const without = (source: string) => cut("file.ts", source, (specifier) => specifier === "./gone.ts");

describe("cutting a module out of a file", () => {
  test("does not change a file that does not import it", () => {
    const source = 'import { a } from "./kept.ts";\n\n\na();\n';
    assert.equal(without(source), source);
  });

  test("removes the import and the statements that use it, with their comments", () => {
    assert.equal(
      without(`import { gone } from "./gone.ts";
import { kept } from "./kept.ts";

kept();

// Why it is done.
gone(kept);

kept();
`),
      `import { kept } from "./kept.ts";

kept();

kept();
`,
    );
  });

  test("removes names of other imports that only it needed, at any place of a list", () => {
    const use = (names: string) => names.split("").join(" + ");
    for (const kept of ["a", "c", "ab", "ac", "bd", "cd", "abd"]) {
      const gone = "abcd".split("").filter((name) => !kept.includes(name));
      const source = (names: string, rest: string) =>
        `import { ${names.split("").join(", ")} } from "./others.ts";\n${rest}`;
      const used = `\nexport const used = ${use(kept)};\n`;
      assert.equal(
        without(source("abcd", `import { gone } from "./gone.ts";\n${used}gone(${use(gone.join(""))});\n`)),
        source(kept, used),
      );
    }
  });

  test("removes what a function takes out of its parameter for that alone", () => {
    const source = (names: string, gone: string) =>
      `app.post(async ({ ${names} }) => {\n  use(first, third);\n${gone}});\n`;
    for (const names of ["first, third, path, set", "path, first, set, third", "path, set, first, third"])
      assert.equal(
        without(
          `import { gone } from "./gone.ts";\n\n${source(names, "  const { a } = gone(path, first);\n  set.a = a;\n")}`,
        ),
        source("first, third", ""),
      );
  });

  test("removes a member of an object, an element of a list, and nothing around them", () => {
    assert.equal(
      without(`import { gone } from "./gone.ts";

export const config = {
  first: 1,
  /** What it is. */
  second: gone(2),
  third: 3,
};
export const list = [1, gone, 3];
`),
      `export const config = {
  first: 1,
  third: 3,
};
export const list = [1, 3];
`,
    );
  });

  test("removes what was made from it, and imports and declarations that are then unused", () => {
    assert.equal(
      without(`import { after, test } from "node:test";
import { Gone } from "./gone.ts";

export function all() {
  const gone = new Gone(helper());
  after(() => gone.stop());
  return test;
}

function helper() {
  return 1;
}
`),
      `import { test } from "node:test";

export function all() {
  return test;
}
`,
    );
  });

  test("does not remove a key that has the same name", () => {
    assert.equal(
      without(`import { gone } from "./gone.ts";

use(gone);
other.gone({ gone: 1 });
`),
      `other.gone({ gone: 1 });
`,
    );
  });

  test("removes only a statement of a callback, unless it is the only one", () => {
    assert.equal(
      without(`import { gone } from "./gone.ts";

app.get("/", (request, response) => {
  gone(request);
  response.end();
});

app.use((request) => {
  gone(request);
});

app.use((request, next) => {
  next({ ...gone, ...request });
});
`),
      `app.get("/", (request, response) => {
  response.end();
});

app.use((request, next) => {
  next({ ...request });
});
`,
    );
  });

  test("removes a link of a chain that mounts it", () => {
    assert.equal(
      without(`import { gone } from "./gone.ts";

export const app = create()
  .get("/", () => 1)
  .use(gone(table))
  .post("/", () => 2)
  .use(gone(table));
`),
      `export const app = create()
  .get("/", () => 1)
  .post("/", () => 2);
`,
    );
  });

  test("removes the first link of a chain", () => {
    assert.equal(
      without(`import { gone } from "./gone.ts";

export const app = new App()
  .use(gone)
  .use(kept);
`),
      `export const app = new App()
  .use(kept);
`,
    );
  });

  test("removes what would be empty, and what uses that", () => {
    assert.equal(
      without(`import { gone } from "./gone.ts";

function check() {
  gone();
}

for (const one of all) {
  gone(one);
}

check();
use({ only: gone });
use([gone]);
`),
      "",
    );
  });

  test("removes what is registered with the plugin that is gone", () => {
    assert.equal(
      without(`import { gone } from "./gone.ts";

await server.register({ plugin: kept, options: { table } });
await server.register({ plugin: gone, options: { table } });
`),
      "await server.register({ plugin: kept, options: { table } });\n",
    );
  });

  test("removes only a decorator", () => {
    assert.equal(
      without(`import { Gone } from "./gone.ts";

@Kept()
@Gone()
class App {}
`),
      `@Kept()
class App {}
`,
    );
  });

  test("removes a class's property with the methods that use it", () => {
    assert.equal(
      without(`import { type Gone, create } from "./gone.ts";

class Service {
  private readonly table: Table;
  private readonly gone: Gone;

  constructor(table: Table) {
    this.table = table;
    this.gone = create(table);
  }

  count() {
    return this.table.gone;
  }

  async find(id: string) {
    return JSON.parse(await this.gone.find(id));
  }
}
`),
      `class Service {
  private readonly table: Table;

  constructor(table: Table) {
    this.table = table;
  }

  count() {
    return this.table.gone;
  }
}
`,
    );
  });
});

test("a type and a value with the same name are cut together", () => {
  const source = `export const sizes = { small: 1 };

export type Box = { size: number };
export const Box = make<Box>();

function make<T>(): T {
  return sizes as T;
}
`;
  assert.equal(
    cutExports("file.ts", source, (name) => name === "Box"),
    "export const sizes = { small: 1 };\n",
  );
});

test("an export that nothing uses is cut, also if others have its type", () => {
  const source = `type Sizes = Record<string, number>;

export const sizes: Sizes = { small: 1 };

export const unused: Sizes = { ...sizes, large: 5 };
`;
  const expected = `type Sizes = Record<string, number>;

export const sizes: Sizes = { small: 1 };
`;
  assert.equal(
    cutExports("file.ts", source, (name) => name === "unused"),
    expected,
  );
});
