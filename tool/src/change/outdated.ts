// What projects of 0.1.0 have in another form. Their owners' files get the new one, and new projects know nothing of it.

/** Names of 0.1.0 by their new ones, and the end of the path that exports these. */
const renamed = new Map([
  ["editorOf", ["createEditor", "/item-routes/editor.ts"]],
  ["valid", ["sValidator", "/hono/connect.ts"]],
  ["invalid", ["refuse", "/h3/connect.ts"]],
  ["Plugin", ["FastifyPluginAsyncStandard", "/fastify/schema.ts"]],
  ["Patch", ["MergePatch", "/item-routes/merge-patch.ts"]],
]);

/** Whether a file exports what had this name. */
export const isRenamed = (name: string, path: string) => path.endsWith(renamed.get(name)?.[1] ?? "\0");

/** Files whose names mean something else now, like `PageQuery`. */
export const isReplaced = (path: string) =>
  /(^|\/)src\/(fields\/[^/]+|params|item-routes\/(answer|created)\.interceptor)\.ts$/.test(path);

/** Files without a successor are the owner's, if the owner's files import them. */
export const staysForOwner = (path: string, exports: ReadonlyMap<string, unknown>) =>
  isReplaced(path) || (/(^|\/)src\/json\.ts$/.test(path) && !exports.has(path));

/** The text of a file that follows what it imports, `before` it did, in the words of this version. */
export function modernise(before: string, text: string): string {
  const named = divideAnswer(text).replace(
    /^((?:import|export)(?: type)? \{)([^}]*)(\} from ["'](\.[^"']+)["'])/gm,
    (_, start, names: string, end, specifier: string) => `${start}${renameAll(names, specifier)}${end}`,
  );
  const isHono =
    /\bvalid\b[^;]*? from ["'][^"']*\/body\.ts["']/.test(before) &&
    /\bvalid\b[^;]*? from ["'][^"']*\/hono\/connect\.ts["']/.test(named);
  const checked = isHono ? named.replace(/\bvalid\((?=[\w$])/g, 'valid("json", ') : named;
  // What were options is a member of them.
  const validated = /\brefuse as invalid\b/.test(named)
    ? checked
        .replace(/(?<=[(,] ?)invalid(?=\))/g, "{ onError: invalid }")
        .replace(/\.\.\.invalid\b/g, "onError: invalid")
    : checked;
  return /^import [^;]*\bResource\b[^;]* from /m.test(text)
    ? validated.replace(/\bcolumns: \{[^{}]*\}/g, (columns) => columns.replace(sqlColumn, writeColumn))
    : validated;
}

/** One type of 0.1.0 is two now. */
function divideAnswer(text: string): string {
  const divided = text.replace(
    /^(import (?:type )?\{[^}]*?)\b(type )?EditorAnswer\b(?! as )([^}]*\} from ["'][^"']*\/item-routes\/editor\.ts["'];?)$/m,
    (_, start, type = "", end) => `${start}${type}ReadAnswer, ${type}RemovedAnswer${end}`,
  );
  const last = divided.search(/\n(?!import |\s|\})/);
  const alias = "\ntype EditorAnswer = ReadAnswer | RemovedAnswer;\n";
  return divided === text ? text : `${divided.slice(0, last)}${alias}${divided.slice(last)}`;
}

/** The names in an import; the file goes on using those that it knows. */
function renameAll(names: string, specifier: string): string {
  return names.replace(/(^|,)(\s*(?:type )?)(\w+)(?=( as )?)/g, (whole, comma, space, name, isAlias) => {
    const [now, place = ""] = renamed.get(name) ?? [];
    return now && specifier.endsWith(place) ? `${comma}${space}${now}${isAlias ? "" : ` as ${name}`}` : whole;
  });
}

/** A column as SQL, like `length: "double precision NOT NULL DEFAULT 5"`. */
const sqlColumn =
  /(\b\w+|"\w+"): "([a-z ]+?)( NOT NULL)?(?: DEFAULT (?:'((?:[^']|'')*)'|(true|false|[-+.\de]+)))?"(?=[,\s}])/g;

function writeColumn(_: string, name: string, sql: string, required?: string, text?: string, value?: string): string {
  const plain = text?.replaceAll("''", "'");
  const written = sql === "json" ? plain?.replaceAll('\\"', '"') : plain === undefined ? value : `"${plain}"`;
  const type = `type: "${sqlTypes.get(sql) ?? sql}", isRequired: ${required !== undefined}`;
  return `${name}: { ${type}${written === undefined ? "" : `, default: ${written}`} }`;
}

const sqlTypes = new Map([
  ["double precision", "number"],
  ["bigint", "integer"],
  ["uuid", "id"],
]);
