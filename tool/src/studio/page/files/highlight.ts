export interface Token {
  kind: "comment" | "string" | "number" | "keyword" | "plain";
  text: string;
}

/** Divides code into what has a colour and what has none: enough to read it, not to compile it. */
export function highlight(path: string, text: string): Token[] {
  const pattern = findPattern(path);
  if (!pattern) return [{ kind: "plain", text }];
  const tokens: Token[] = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    if (match.index > end) tokens.push({ kind: "plain", text: text.slice(end, match.index) });
    const [kind] = Object.entries(match.groups ?? {}).find(([, value]) => value !== undefined) ?? ["plain"];
    tokens.push({ kind: kind as Token["kind"], text: match[0] });
    end = match.index + match[0].length;
  }
  return [...tokens, { kind: "plain", text: text.slice(end) }];
}

/** The tokens of each line. */
export function highlightLines(path: string, text: string): Token[][] {
  const lines: Token[][] = [[]];
  for (const { kind, text: whole } of highlight(path, text))
    for (const [index, part] of whole.split("\n").entries()) {
      if (index > 0) lines.push([]);
      if (part !== "") lines.at(-1)?.push({ kind, text: part });
    }
  return lines;
}

function findPattern(path: string): RegExp | undefined {
  if (/\.(ts|js|cjs|mjs|json)$/.test(path)) return script;
  if (/\.sql$/.test(path)) return sql;
  if (/\.(ya?ml|env)$|(^|\/)(Dockerfile|\.\w+ignore|\.env.*|\.npmrc)$/.test(path)) return settings;
  return undefined;
}

const quoted = String.raw`"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'`;
const number = String.raw`(?<number>\b\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?n?\b)`;

const script = new RegExp(
  [
    String.raw`(?<comment>\/\/.*|\/\*[\s\S]*?\*\/)`,
    `(?<string>${quoted}|${"`"}(?:\\\\.|[^${"`"}\\\\])*${"`"})`,
    number,
    String.raw`(?<keyword>\b(?:as|async|await|break|case|catch|class|const|constructor|continue|declare|default|delete|do|else|export|extends|false|finally|for|from|function|if|implements|import|in|instanceof|interface|let|new|null|of|private|readonly|return|satisfies|static|super|switch|this|throw|true|try|type|typeof|undefined|void|while|yield)\b)`,
  ].join("|"),
  "g",
);

const sql = new RegExp(
  [
    "(?<comment>--.*)",
    `(?<string>${quoted})`,
    number,
    String.raw`(?<keyword>\b(?:ADD|ALTER|AND|AS|BY|CHECK|COLUMN|CREATE|DEFAULT|DROP|EXISTS|FROM|IF|INDEX|INSERT|INTO|NOT|NULL|ON|OR|ORDER|PRIMARY KEY|REFERENCES|SELECT|SET|TABLE|UNIQUE|UPDATE|VALUES|WHERE)\b)`,
  ].join("|"),
  "gi",
);

const settings = new RegExp(
  [
    "(?<comment>(?<=^|\\s)#.*)",
    `(?<string>${quoted})`,
    String.raw`(?<keyword>^[A-Z]+(?= )|^\s*(?:- )?[\w.-]+(?=[:=]))`,
  ].join("|"),
  "gm",
);
