import type { TreeNode } from "../controls/tree.tsx";

/** A tree of folders and files, folders first. */
export function toTree(paths: { path: string; state?: string }[]): TreeNode[] {
  const root: TreeNode[] = [];
  for (const { path, state } of paths) {
    const parts = path.split("/");
    let list = root;
    for (const [index, name] of parts.slice(0, -1).entries()) {
      const folder = parts.slice(0, index + 1).join("/");
      const node = list.find((one) => one.path === folder) ?? { path: folder, name, children: [] };
      if (!list.includes(node)) list.push(node);
      list = node.children ?? [];
    }
    list.push({ path, name: parts.at(-1) ?? path, ...(state ? { state } : {}) });
  }
  return sort(root);
}

function sort(nodes: TreeNode[]): TreeNode[] {
  const sorted = nodes.toSorted(
    (a, b) => Number(b.children !== undefined) - Number(a.children !== undefined) || (a.name < b.name ? -1 : 1),
  );
  return sorted.map((node) => (node.children ? { ...node, children: sort(node.children) } : node));
}
