import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Boot } from "./api.ts";
import { type Answer, type Asked, answerText } from "./http.ts";

/** The page as it was built. */
export interface Page {
  /** A file of the page. Undefined if there is none at this path. */
  answerAsset(asked: Asked): Answer | undefined;
  answerPage(boot: Boot): Answer;
}

const types: Record<string, string> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
};

/** Reads the page from the folder that the build wrote. Names of files have the hash of their content. */
export function loadPage(folder = join(import.meta.dirname, "studio")): Page {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name !== "index.html") : [];
  const assets = new Map(names.map((name) => [`/assets/${name}`, name]));
  const packed = new Map<string, Buffer>();
  const html = existsSync(join(folder, "index.html")) ? readFileSync(join(folder, "index.html"), "utf8") : undefined;
  return {
    answerAsset({ url, headers }) {
      const name = assets.get(url.pathname);
      if (name === undefined) return undefined;
      const known = packed.get(name) ?? gzipSync(readFileSync(join(folder, name)), { level: 9 });
      packed.set(name, known);
      const isPacked = /\bgzip\b/.test(String(headers["accept-encoding"] ?? ""));
      return {
        status: 200,
        headers: {
          "Content-Type": types[name.split(".").at(-1) ?? ""] ?? "application/octet-stream",
          "Cache-Control": "public, max-age=31536000, immutable",
          Vary: "Accept-Encoding",
          ...(isPacked ? { "Content-Encoding": "gzip" } : {}),
        },
        body: isPacked ? known : readFileSync(join(folder, name)),
      };
    },
    answerPage(boot) {
      if (html === undefined) return answerText("The page was not built: npm run build.\n", 500);
      const element = `<script type="application/json" id="boot">${escapeHtml(JSON.stringify(boot))}</script>`;
      const body = html.replace("<!--boot-->", () => element);
      return { status: 200, headers: { "Content-Type": "text/html; charset=utf-8" }, body };
    },
  };
}

/** Inside of a script element, JSON must not end it. */
const escapeHtml = (json: string) => json.replaceAll("<", "\\u003c");
