import { useEffect, useRef, useState } from "preact/hooks";

export interface TreeNode {
  path: string;
  name: string;
  /** Undefined for a file. */
  children?: TreeNode[];
  /** What happened to it, in a word. */
  state?: string;
}

interface TreeProps {
  label: string;
  nodes: TreeNode[];
  chosen: string | undefined;
  onChoose: (path: string) => void;
  /** Folders that are closed at first. */
  isClosed: (path: string) => boolean;
}

/** The keys are those of https://www.w3.org/WAI/ARIA/apg/patterns/treeview/ */
export function Tree({ label, nodes, chosen, onChoose, isClosed }: TreeProps) {
  const [toggled, setToggled] = useState<Record<string, boolean>>({});
  const [focused, setFocused] = useState<string | undefined>(chosen);
  const root = useRef<HTMLDivElement>(null);
  const isOpen = (path: string) => toggled[path] ?? (!isClosed(path) || (chosen ?? "").startsWith(`${path}/`));
  const rows = listRows(nodes, isOpen);
  const current =
    rows.find(({ node }) => node.path === focused) ?? rows.find(({ node }) => node.path === chosen) ?? rows[0];
  const hasMoved = useRef(false);

  useEffect(() => {
    if (hasMoved.current) root.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus();
    hasMoved.current = false;
  });

  const toggle = (path: string, isOpened: boolean) => setToggled({ ...toggled, [path]: isOpened });
  const moveTo = (row: Row | undefined) => {
    if (!row) return;
    hasMoved.current = true;
    setFocused(row.node.path);
  };
  const press = (event: KeyboardEvent) => {
    if (!current || event.altKey || event.ctrlKey || event.metaKey) return;
    const index = rows.indexOf(current);
    const { node, parent } = current;
    const isFolder = node.children !== undefined;
    const keys: Record<string, () => void> = {
      ArrowDown: () => moveTo(rows[index + 1]),
      ArrowUp: () => moveTo(rows[index - 1]),
      Home: () => moveTo(rows[0]),
      End: () => moveTo(rows.at(-1)),
      ArrowRight: () =>
        isFolder && !isOpen(node.path) ? toggle(node.path, true) : isFolder && moveTo(rows[index + 1]),
      ArrowLeft: () =>
        isFolder && isOpen(node.path) ? toggle(node.path, false) : moveTo(rows.find((row) => row.node.path === parent)),
      Enter: () => (isFolder ? toggle(node.path, !isOpen(node.path)) : onChoose(node.path)),
      " ": () => (isFolder ? toggle(node.path, !isOpen(node.path)) : onChoose(node.path)),
    };
    const act =
      keys[event.key] ?? (/^\S$/.test(event.key) ? () => moveTo(findByLetter(rows, index, event.key)) : undefined);
    if (!act) return;
    event.preventDefault();
    act();
  };

  const choose = ({ path, children }: TreeNode) => {
    setFocused(path);
    if (children) toggle(path, !isOpen(path));
    else onChoose(path);
  };

  return (
    <div role="tree" aria-label={label} ref={root}>
      {rows.map(({ node, level }) => (
        <div
          key={node.path}
          role="treeitem"
          aria-level={level}
          aria-selected={node.path === chosen}
          aria-expanded={node.children ? isOpen(node.path) : undefined}
          tabIndex={node.path === current?.node.path ? 0 : -1}
          class={`tree-row ${node.state ?? ""}`}
          style={{ paddingLeft: `${level - 0.5}rem` }}
          onClick={() => choose(node)}
          onKeyDown={press}
        >
          <span class="tree-mark" aria-hidden="true">
            {node.children ? (isOpen(node.path) ? "▾" : "▸") : ""}
          </span>
          <span class="tree-name">{node.name}</span>
          {node.state && <span class="tree-state">{node.state}</span>}
        </div>
      ))}
    </div>
  );
}

interface Row {
  node: TreeNode;
  parent: string | undefined;
  level: number;
}

/** The rows that are seen, from the top down. */
function listRows(nodes: TreeNode[], isOpen: (path: string) => boolean, parent?: string, level = 1): Row[] {
  return nodes.flatMap((node) => [
    { node, parent, level },
    ...(node.children && isOpen(node.path) ? listRows(node.children, isOpen, node.path, level + 1) : []),
  ]);
}

function findByLetter(rows: Row[], index: number, letter: string): Row | undefined {
  const after = [...rows.slice(index + 1), ...rows.slice(0, index + 1)];
  return after.find(({ node }) => node.name.toLowerCase().startsWith(letter.toLowerCase()));
}
