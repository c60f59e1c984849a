/** What is shown of a project. It stands behind the `#` of the address; the choices stand behind the `?`. */
export interface View {
  tab: TabName;
  /** The file that is open. */
  file?: string;
  /** The query of the project that the files are compared with. */
  compare?: string;
  /** The framework that runs beside the chosen one. */
  beside?: string;
}

export const tabNames = ["choose", "files", "run", "publish"] as const;
export type TabName = (typeof tabNames)[number];

export function readView(hash: string): View {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  const tab = tabNames.find((name) => name === given.get("tab")) ?? "choose";
  const [file, compare, beside] = ["file", "compare", "beside"].map((name) => given.get(name));
  return { tab, ...(file ? { file } : {}), ...(compare ? { compare } : {}), ...(beside ? { beside } : {}) };
}

export function writeView(view: View): string {
  const entries = Object.entries(view).filter(([name, value]) => value && !(name === "tab" && value === "choose"));
  const text = new URLSearchParams(entries).toString();
  return text === "" ? "" : `#${text}`;
}
