/** How a bundle begins. Own code may have its own `__dirname`, as many do: its places are named from another name. */
export const beginnings = {
  cjs: '"use strict";const __bundleFolder=__dirname;\n',
  esm: `import { createRequire as createRequireHere } from "node:module";
const require = createRequireHere(import.meta.url), __bundleFile = import.meta.filename, __bundleFolder = import.meta.dirname;
`,
};

/** What code in the bundle may use, and an ES module does not have. */
export const commonNames = { __dirname: "__bundleFolder", __filename: "__bundleFile" };

/** The path of a place in `dist`, and its address, as code. It uses no name that own code could have. */
export const toPath = (place: string) =>
  `process.getBuiltinModule("node:path").join(__bundleFolder, ${JSON.stringify(place)})`;
export const toUrl = (place: string) => `process.getBuiltinModule("node:url").pathToFileURL(${toPath(place)})`;
