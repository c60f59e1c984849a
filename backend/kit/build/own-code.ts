import { dirname } from "node:path";
import { packageName } from "./packages.ts";
import { declareModule, toPath, toUrl } from "./place.ts";
import { locateWorkers } from "./workers.ts";

/** Own code that finds its files in `dist`, which has the folders of `src`, and what stands beside `src`. */
export function locate(code: string, place: string): string {
  if (place.endsWith(".cjs"))
    return code.replace(/\b__dirname\b/g, toPath(dirname(place))).replace(/\b__filename\b/g, toPath(place));
  if (!code.includes("import.meta.")) return code;
  const besideSource = /\bnew URL\("((?:\.\.\/)+)migrations\/", import\.meta\.url\)/g;
  const url = `${toUrl(place)}.href`;
  const create = `process.getBuiltinModule("node:module").createRequire(${url})`;
  const toFile = 'process.getBuiltinModule("node:url").pathToFileURL';
  const resolve = `((name) => /^(\\.{0,2}\\/|\\w+:)/.test(name) ? new URL(name, ${url}).href : ${toFile}(${create}.resolve(name)).href)`;
  const located = locateWorkers(bundleRequired(code), place).replace(besideSource, toUrl("migrations/"));
  return declareModule(located, {
    "import.meta.url": url,
    "import.meta.dirname": toPath(dirname(place)),
    "import.meta.filename": toPath(place),
    "import.meta.resolve": resolve,
    "import.meta.main": String(place === "main.ts"),
  });
}

const created = /\b(const|let|var)\s+(\w+)(?=\s*=\s*createRequire\(\s*import\.meta\.(?:url|filename)\s*\))/g;

/** What own code loads with `createRequire`, by a name that it writes, is in the bundle. */
function bundleRequired(code: string): string {
  const names = [...code.matchAll(created)].map(([, , name = ""]) => name);
  const literal = /\(\s*(["'][^"'\n]+["'])\s*,?\s*\)/.source;
  const bundled = names.reduce(
    (text, name) => text.replace(new RegExp(`(?<![.\\w$])${name}${literal}`, "g"), "require($1)"),
    code,
  );
  return names.includes("require") ? bundled.replace(otherUses, "requireHere") : bundled;
}

/** A declaration of `require`, and what is no call with a literal. */
const otherUses =
  /(?<=\b(?:const|let|var)\s+)require(?=\s*=)|(?<![.\w$"'`])require(?=\.(?:resolve|cache|main)\b|\((?!\s*["']))/g;

/** The packages that own code looks for: they stand beside the bundle. */
export function findResolved(code: string): string[] {
  const found = [...code.matchAll(/\b(?:import\.meta|require|\w*Require\w*)\.resolve\(\s*["']([^"'./#][^"']*)["']/g)];
  return found.map(([, name = ""]) => packageName(name)).filter((name) => !name.includes(":"));
}
