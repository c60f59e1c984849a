import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";

interface ButtonProps {
  children: ComponentChildren;
  /** While the promise that it returns is not settled, the button is busy. */
  onClick: () => unknown;
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
  const [isWorking, setWorking] = useState(false);
  // A second click may come before the page is drawn again.
  const working = useRef(false);
  const isOff = isBusy || isDisabled || isWorking;
  const click = async () => {
    if (isOff || working.current) return;
    const result = onClick();
    if (!(result instanceof Promise)) return;
    working.current = true;
    setWorking(true);
    await result.finally(() => {
      working.current = false;
      setWorking(false);
    });
  };
  return (
    <button
      type="button"
      class={`button ${kind ?? ""}`}
      aria-disabled={isOff ? "true" : undefined}
      aria-busy={isBusy || isWorking ? "true" : undefined}
      aria-label={label}
      aria-describedby={describedBy}
      onClick={click}
    >
      {(isBusy || isWorking) && <span class="spinner" aria-hidden="true" />}
      {children}
    </button>
  );
}
