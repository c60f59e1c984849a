import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { refuseSecrets } from "../../src/publish/scan.ts";
import { temporaryFolder } from "../support.ts";

const token = "visibly-fake+token/one?";
const other = "visibly-fake-token-number-two-00";
const password = "visibly:fake@pass/word";
const database = `postgres://shop:${encodeURIComponent(password)}@db.example.com:5432/shop`;
const declared = { API_TOKENS: `${token},${other}`, DATABASE_URL: database };

/** A folder to build, with these files and a Dockerfile that copies everything. */
function folderWith(files: Record<string, string | Buffer>): string {
  const folder = temporaryFolder();
  for (const [path, content] of Object.entries({ Dockerfile: "FROM scratch\nCOPY . .\n", ...files })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

/** What is found in these files, one finding a line; never a value. */
async function findings(files: Record<string, string | Buffer>, secrets = declared as Record<string, string>) {
  try {
    await refuseSecrets(folderWith(files), secrets);
    return [];
  } catch (error) {
    const { message, code } = error as Error & { code: string };
    assert.equal(code, "secret_in_context", message);
    for (const value of Object.values(secrets))
      assert.ok(value.length < 8 || !message.includes(value), "a value is shown");
    return message
      .split("\n")
      .filter((line) => line.startsWith("  "))
      .map((line) => line.trim());
  }
}

describe("the search for secrets finds", () => {
  test("one of several tokens, and the password of a URL, also decoded", async () => {
    assert.deepEqual(await findings({ "a.ts": `const x = 1;\nconst t = "${other}";\n` }), [
      "a.ts:2 a part of the value of API_TOKENS",
    ]);
    for (const text of [password, encodeURIComponent(password)])
      assert.deepEqual(await findings({ "b.txt": `\n\n${text}` }), ["b.txt:3 a part of the value of DATABASE_URL"]);
  });

  test("a value in base64, anywhere in the encoded text, in both alphabets and in several lines", async () => {
    for (const before of ["", "x", "xy", "xyz"])
      for (const form of ["base64", "base64url"] as const) {
        const encoded = Buffer.from(`${before}user:${token}>>>???`).toString(form);
        assert.deepEqual(
          await findings({ "c.yaml": `a: 1\nb: ${encoded}\n` }),
          ["c.yaml:2 a part of the value of API_TOKENS"],
          `${before} ${form}`,
        );
      }
    const wrapped = Buffer.from(`${"x".repeat(40)}${other}`)
      .toString("base64")
      .replaceAll(/(.{19})/g, "$1\r\n  ");
    assert.deepEqual(await findings({ "c.pem": wrapped }), ["c.pem:3 a part of the value of API_TOKENS"]);
  });

  test("a value in binary files and in UTF-16", async () => {
    const binary = Buffer.concat([Buffer.from([0, 1, 2, 0, 255]), Buffer.from(other), Buffer.from([0, 9])]);
    assert.deepEqual(await findings({ "d.bin": binary }), ["d.bin a part of the value of API_TOKENS"]);
    const text = `\ufefffirst\r\nsecond ${other} é\r\n`;
    const little = Buffer.from(text, "utf16le");
    for (const bytes of [little, Buffer.from(little).swap16()])
      assert.deepEqual(await findings({ "d.ps1": bytes }), ["d.ps1:2 a part of the value of API_TOKENS"]);
    const accents = { NAME: "größe-señal-123" };
    assert.deepEqual(await findings({ "d.txt": Buffer.from("a größe-señal-123", "utf16le") }, accents), [
      "d.txt the value of NAME",
    ]);
  });

  test("known tokens in UTF-16 and under a comment that would disable the search", async () => {
    const known = `ghp_${"0fake1token2".repeat(3)}`;
    const text = `// secretlint-disable\nconst a = "${known}"; // secretlint-disable-line\n`;
    assert.deepEqual(await findings({ "e.ts": text }), ["e.ts:2 github"]);
    assert.deepEqual(await findings({ "e.ts": Buffer.from(`\ufeff${text}`, "utf16le") }), ["e.ts:2 github"]);
  });

  test("a value in a file larger than a chunk, also across two chunks", async () => {
    const part = 1_048_576;
    for (const at of [part - 10, part + 70_000, 2 * part + 65_530]) {
      const large = Buffer.alloc(3 * part, "0123456789abcde\n");
      large.write(other, at);
      const line = Math.floor(at / 16) + 1;
      assert.deepEqual(await findings({ "f.log": large }), [`f.log:${line} a part of the value of API_TOKENS`]);
    }
  });

  test("the lines of a key in another format", async () => {
    const line = "MIIvisiblyFakeLineOfAPrivateKey00000000000000";
    const secrets = { SIGNING_KEY: `-----BEGIN FAKE KEY-----\n${line}\n-----END FAKE KEY-----\n` };
    assert.deepEqual(await findings({ "g.json": `{"k":"${line}\\n"}` }, secrets), [
      "g.json:1 a part of the value of SIGNING_KEY",
    ]);
  });

  const inTokens = "a part of the value of API_TOKENS";

  test("a value in hexadecimal, with or without separators", async () => {
    const hex = Buffer.from(`before ${other} after`).toString("hex");
    const pairs = hex.match(/../g) ?? [];
    for (const text of [hex, hex.toUpperCase(), pairs.join(":"), pairs.map((one) => `0x${one}`).join(", ")])
      assert.deepEqual(await findings({ "hex.txt": `first\n${text}\n` }), [`hex.txt:2 ${inTokens}`], text);
  });

  test("a value in escapes", async () => {
    const escaped = (form: (code: number) => string) => [...other].map((one) => form(one.charCodeAt(0))).join("");
    const hex = (code: number) => code.toString(16);
    for (const text of [
      escaped((code) => `\\u00${hex(code)}`),
      escaped((code) => `\\u{${hex(code)}}`),
      escaped((code) => `\\x${hex(code)}`),
      escaped((code) => `\\${code.toString(8).padStart(3, "0")}`),
      escaped((code) => `%${hex(code).toUpperCase()}`),
      escaped((code) => `&#${code};`),
      escaped((code) => `&#x${hex(code)};`),
      other.replace("t", "\\u0074").replace("n", "%6e"),
    ])
      assert.deepEqual(await findings({ "escaped.txt": `first\n${text}\n` }), [`escaped.txt:2 ${inTokens}`], text);
    const accents = { NAME: "größe-señal-🔑" };
    const text = '{"a": "gr\\u00f6\\u00dfe-se\\u00f1al-\\ud83d\\udd11"}';
    assert.deepEqual(await findings({ "escaped.json": text }, accents), ["escaped.json:1 the value of NAME"]);
  });

  test("a value that is folded, quoted, or put together from pieces", async () => {
    const [start, middle, end] = [other.slice(0, 9), other.slice(9, 20), other.slice(20)];
    const base64 = Buffer.from(other).toString("base64");
    for (const text of [
      `token: "${start}\\\n  ${middle}\\\n  ${end}"`,
      `${start}\n  ${middle}\n  ${end}`,
      `const a = "${start}" +\n  '${middle}' + \`${end}\`;`,
      `$a = "${start}" . "${middle}" . "${end}";`,
      `# ${start}\n# ${middle}\n# ${end}`,
      `["${base64.slice(0, 20)}",\n"${base64.slice(20)}"].join("")`,
    ])
      assert.deepEqual(await findings({ "folded.txt": `${text}\n` }), [`folded.txt:1 ${inTokens}`], text);
    assert.deepEqual(await findings({ "not.txt": other.split("").reverse().join("\n") }), []);
  });

  test("a value in archives, and in archives in those", async () => {
    const folder = folderWith({ "in/config.txt": `a\nb ${other}\n`, "in/other.txt": "x".repeat(500) });
    const make = (...command: string[]) =>
      execFileSync(command[0] ?? "", command.slice(1), { cwd: join(folder, "in") });
    make("tar", "-czf", "../a.tar.gz", ".");
    make("python3", "-m", "zipfile", "-c", "../a.jar", "config.txt", "other.txt");
    make("tar", "-cf", "../both.tar", "-C", "..", "a.tar.gz", "a.jar");
    make("gzip", "-k", "../both.tar");
    for (const name of ["a.tar.gz", "a.jar", "both.tar", "both.tar.gz"])
      assert.deepEqual(await findings({ [name]: readFileSync(join(folder, name)) }), [
        `${name} (in the archive) ${inTokens}`,
      ]);
    assert.deepEqual(
      await findings({ "no.zip": "PK\x03\x04".repeat(50), "no.gz": Buffer.from([31, 139, 8, 0, 1]) }),
      [],
    );
    const bomb = Buffer.concat(new Array(129).fill(gzipSync(Buffer.alloc(2 ** 20))));
    assert.deepEqual(await findings({ "bomb.gz": bomb }), ["bomb.gz (in the archive) too much to be searched"]);
  });

  test("a short value, or a plain word, only where it is assigned to a secret", async () => {
    const secrets = { POSTGRES_PASSWORD: "a", WEBHOOK_SECRET: "abc123", ADMIN: "postgres" };
    const harmless =
      "a is a letter; abc123 is none: a = a, x: 'a'\nimport postgres from 'postgres'; // password of postgres\n";
    assert.deepEqual(await findings({ "h.ts": harmless }, secrets), []);
    for (const text of ['POSTGRES_PASSWORD: "a"', "export POSTGRES_PASSWORD=a", "url = 'postgres://x:a@localhost/'"])
      assert.deepEqual(await findings({ "h.sh": text }, secrets), ["h.sh:1 the value of POSTGRES_PASSWORD"], text);
    assert.deepEqual(await findings({ "h.ts": "{ secret: 'abc123' }" }, secrets), [
      "h.ts:1 the value of WEBHOOK_SECRET",
    ]);
    assert.deepEqual(await findings({ "h.py": "admin_password = 'postgres'" }, secrets), ["h.py:1 the value of ADMIN"]);
  });

  test("files of variables at any depth, but not their examples", async () => {
    const files = { "src/.env": "A=1\n", "x/y/.env.production": "", "src/.env.example": "A=\n", ".env.sample": "" };
    assert.deepEqual((await findings(files)).sort(), [
      "src/.env (a file of secrets, by its name)",
      "x/y/.env.production (a file of secrets, by its name)",
    ]);
  });

  test("nothing in files without secrets, and not the path of an SQLite file", async () => {
    const secrets = { ...declared, DATABASE_URL: "file:./data/items.db" };
    assert.deepEqual(await findings({ "i.ts": 'export const url = "file:./data/items.db";\n' }, secrets), []);
  });
});

describe("in a Dockerfile, the search finds", () => {
  const of = (Dockerfile: string, secrets = {}) => findings({ Dockerfile, ".dockerignore": "*\n" }, secrets);

  test("values of variables that name a secret, in every form", async () => {
    const text = [
      "FROM scratch AS a",
      "ARG NPM_TOKEN",
      "ARG TOKEN_FILE=/run/secrets/token API_KEY=visibly-fake",
      "ENV NODE_ENV=production \\",
      "  # a comment",
      '  SESSION_SECRET="visibly fake" PORT=3000',
      "ENV DB_PASSWORD visibly fake",
      "ENV PASSWORD=$PASSWORD SECRET=$SECRET OPEN_PASSWORD= MAX_TOKENS=4096",
      "ENV DATABASE_URL=postgres://a:visibly-fake@b/c",
      "ENV DECLARED=x",
    ].join("\n");
    assert.deepEqual(await of(text, { DECLARED: "x" }), [
      "Dockerfile:3 the value of API_KEY in ARG",
      "Dockerfile:4 the value of SESSION_SECRET in ENV",
      "Dockerfile:7 the value of DB_PASSWORD in ENV",
      "Dockerfile:9 the value of DATABASE_URL in ENV",
      "Dockerfile:10 the value of DECLARED in ENV",
      "Dockerfile:9 a URL with credentials",
      "Dockerfile:10 the value of DECLARED",
      "Dockerfile:9 database-connection-string",
    ]);
  });

  test("URLs with credentials", async () => {
    const text = [
      "FROM scratch",
      "RUN git clone https://visiblyfaketoken@example.com/a.git && \\",
      "  git clone https://me:visibly-fake@example.com/b.git",
      "RUN git clone https://$TOKEN@example.com/c.git ssh://git@example.com/d.git https://me:$PASSWORD@example.com/e.git",
      "RUN pip install git+https://visiblyfaketoken@example.com/f.git",
    ].join("\n");
    assert.deepEqual(
      (await of(text)).filter((one) => one.includes("URL")),
      [2, 3, 5].map((line) => `Dockerfile:${line} a URL with credentials`),
    );
  });

  test("the same in long texts that look like the beginnings of many", async () => {
    const url = "RUN x://me:visibly-fake@b\n";
    const texts: [text: string, line: number][] = [
      [`# ${"a.".repeat(500_000)}\n${url}`, 3],
      [`ENV A=x://${"?a".repeat(500_000)}\n${url}`, 3],
      [`ENV A=${"eyJ-".repeat(250_000)}\n${url}`, 3],
      [url.repeat(40_000), 40_001],
    ];
    for (const [text, line] of texts) {
      const found = (await of(`FROM scratch\n${text}`)).filter((one) => one.includes("URL"));
      assert.equal(found.at(-1), `Dockerfile:${line} a URL with credentials`);
    }
  });

  test("a declared value anywhere", async () => {
    assert.deepEqual(await of(`FROM scratch\nRUN echo ${other}\n`, declared), [
      "Dockerfile:2 a part of the value of API_TOKENS",
    ]);
  });
});

describe("the files of a build are searched", () => {
  const files = { "secret.txt": other, "Dockerfile.dockerignore": "x\n", ".dockerignore": "*\n" };
  const withBuilder = async (buildKit: string, more = {}) => {
    const before = process.env["DOCKER_BUILDKIT"];
    process.env["DOCKER_BUILDKIT"] = buildKit;
    try {
      return await findings({ ...files, ...more });
    } finally {
      if (before === undefined) delete process.env["DOCKER_BUILDKIT"];
      else process.env["DOCKER_BUILDKIT"] = before;
    }
  };

  test("as Dockerfile.dockerignore says with BuildKit, and as .dockerignore says without", async () => {
    assert.deepEqual(await withBuilder("1"), ["secret.txt:1 a part of the value of API_TOKENS"]);
    assert.deepEqual(await withBuilder("0"), []);
    const turned = { "Dockerfile.dockerignore": "*\n", ".dockerignore": "" };
    assert.deepEqual(await withBuilder("1", turned), []);
    assert.deepEqual(await withBuilder("0", turned), ["secret.txt:1 a part of the value of API_TOKENS"]);
  });

  test("but not through a link, which a build copies as a link", async () => {
    const folder = folderWith({ "src/a.ts": "" });
    const outside = folderWith({ "secret.txt": other });
    symlinkSync(join(outside, "secret.txt"), join(folder, "src/link"));
    await refuseSecrets(folder, declared);
    rmSync(join(outside, "secret.txt"));
    await refuseSecrets(folder, declared);
  });
});
