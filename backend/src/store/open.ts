import type { Config } from "../config.ts";
import type { Store } from "./store.ts";

interface Kind {
  url: RegExp;
  example: string;
  isEmbedded: boolean;
  load(): Promise<{ openStore(config: Config): Promise<Store> }>;
}

const kinds: Kind[] = [
  { url: /^file:/, example: "file:./data/items.db", isEmbedded: true, load: () => import("./sqlite.ts") },
  {
    url: /^postgres(ql)?:/,
    example: "postgres://user@host/db",
    isEmbedded: false,
    load: () => import("./postgres.ts"),
  },
];

/** How `DATABASE_URL` is read: an embedded database needs no server, so it can be the default. */
export const databaseUrl = {
  fallback: kinds.find(({ isEmbedded }) => isEmbedded)?.example,
  parse: (url: string): string => {
    if (kinds.some((kind) => kind.url.test(url))) return url;
    throw new Error(`must be a URL like ${kinds.map(({ example }) => example).join(" or ")}`);
  },
};

export async function openStore(config: Config): Promise<Store> {
  const kind = kinds.find(({ url }) => url.test(config.databaseUrl));
  if (!kind) throw new Error("the database URL has not been read");
  return (await kind.load()).openStore(config);
}
