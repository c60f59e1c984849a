/** Moves the focus once the page is drawn again: what had it may be gone by then. */
export function focusLater(find: () => Element | null | undefined): void {
  requestAnimationFrame(() => {
    const found = find();
    if (found instanceof HTMLElement) found.focus();
  });
}
