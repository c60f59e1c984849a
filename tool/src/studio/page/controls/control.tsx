import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

/** The attributes that connect an input with its label, hint and fault. */
export interface ControlIds {
  id: string;
  "aria-invalid"?: "true";
  "aria-describedby"?: string;
}

interface ControlProps {
  label: string;
  hint?: ComponentChildren;
  fault?: string | undefined;
  class?: string;
  children: (ids: ControlIds) => ComponentChildren;
}

/** A label, an input, what helps to fill it in, and what is wrong with it. */
export function Control({ label, hint, fault, class: name = "", children }: ControlProps) {
  const id = useId();
  const described = [...(hint ? [`${id}-hint`] : []), ...(fault ? [`${id}-fault`] : [])].join(" ");
  return (
    <div class={`control ${name}`}>
      <label for={id}>{label}</label>
      {children({
        id,
        ...(fault ? { "aria-invalid": "true" } : {}),
        ...(described ? { "aria-describedby": described } : {}),
      })}
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      <FaultText id={`${id}-fault`} text={fault} />
    </div>
  );
}

/** Always there, because screen readers announce only what appears in a region that they know. */
export function FaultText({ id, text }: { id: string; text: string | undefined }) {
  return (
    <p class="fault" id={id} aria-live="polite">
      {text}
    </p>
  );
}
