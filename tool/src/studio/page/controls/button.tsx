import type { ComponentChildren } from "preact";

interface ButtonProps {
  children: ComponentChildren;
  onClick: () => void;
  kind?: "primary" | "danger" | "quiet" | undefined;
  /** Shows that it works on it; a second click does nothing. */
  isBusy?: boolean;
  isDisabled?: boolean;
  label?: string;
  describedBy?: string | undefined;
}

/** A busy or disabled button keeps the focus: `disabled` would lose it for people who use the keyboard. */
export function Button({
  children,
  onClick,
  kind,
  isBusy = false,
  isDisabled = false,
  label,
  describedBy,
}: ButtonProps) {
  const isOff = isBusy || isDisabled;
  return (
    <button
      type="button"
      class={`button ${kind ?? ""}`}
      aria-disabled={isOff ? "true" : undefined}
      aria-busy={isBusy ? "true" : undefined}
      aria-label={label}
      aria-describedby={describedBy}
      onClick={() => void (isOff || onClick())}
    >
      {isBusy && <span class="spinner" aria-hidden="true" />}
      {children}
    </button>
  );
}
