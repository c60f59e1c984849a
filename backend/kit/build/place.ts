/** How a bundle begins. Own code may have its own `__dirname`, as many do: its places are named from another name. */
export const beginnings = {
  cjs: '"use strict";const __bundleFolder=__dirname;\n',
  esm: `import { createRequire as createRequireHere } from "node:module";
const require = createRequireHere(import.meta.url), __bundleFile = import.meta.filename, __bundleFolder = import.meta.dirname;
`,
};

/** What code in the bundle may use, and an ES module does not have. */
const commonNames = { __dirname: "__bundleFolder", __filename: "__bundleFile" };

/** What modules ask about themselves. esbuild finds it in code, and leaves texts alone; each module declares these names. */
const moduleNames = {
  "import.meta.url": "__moduleUrl",
  "import.meta.dirname": "__moduleFolder",
  "import.meta.filename": "__moduleFile",
  "import.meta.resolve": "__resolve",
  "import.meta.main": "__isMain",
};

/** The names that a bundle has instead. */
export const definitions = { cjs: moduleNames, esm: { ...commonNames, ...moduleNames } };

/** Code that declares, in its first line, what it asks about itself. */
export function declareModule(code: string, values: Partial<typeof moduleNames>): string {
  const asked = Object.entries(moduleNames).filter(([question]) => code.includes(question));
  if (asked.length === 0) return code;
  const declared = asked.map(([question, name]) => `${name} = ${values[question as keyof typeof moduleNames]}`);
  const [start = ""] = /^#!.*\n/.exec(code) ?? [];
  return `${start}const ${declared.join(", ")}; ${code.slice(start.length)}`;
}

/** The path of a place in `dist`, and its address, as code. It uses no name that own code could have. */
export const toPath = (place: string) =>
  `process.getBuiltinModule("node:path").join(__bundleFolder, ${JSON.stringify(place)})`;
export const toUrl = (place: string) => `process.getBuiltinModule("node:url").pathToFileURL(${toPath(place)})`;
