/** Moves the focus once the page is drawn again: what had it may be gone by then. */
export function focusLater(find: () => Element | null | undefined): void {
  requestAnimationFrame(() => {
    const found = find();
    if (found instanceof HTMLElement) found.focus();
  });
}

/** Once a row is removed: to a button of the row that takes its place, of the last one, or to what adds one. */
export function focusAfterRemoval(group: Element | null, rows: string, index: number): void {
  focusLater(() => {
    const left = [...(group?.querySelectorAll(rows) ?? [])];
    return (left[index] ?? left.at(-1) ?? group)?.querySelector("button");
  });
}
