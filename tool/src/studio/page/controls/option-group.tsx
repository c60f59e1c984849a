import { useId } from "preact/hooks";
import { FaultText } from "./control.tsx";

export interface Option {
  name: string;
  title: string;
  /** One sentence about it. */
  about: string;
}

interface OptionGroupProps {
  legend: string;
  options: Option[];
  chosen: readonly string[];
  /** One of them, or any number. */
  kind: "radio" | "checkbox";
  onChoose: (name: string, isChosen: boolean) => void;
  fault?: string | undefined;
  hint?: string;
}

/** A group of cards, each a radio button or a checkbox. */
export function OptionGroup({ legend, options, chosen, kind, onChoose, fault, hint }: OptionGroupProps) {
  const id = useId();
  return (
    <fieldset role={kind === "radio" ? "radiogroup" : "group"} aria-labelledby={id} aria-describedby={`${id}-fault`}>
      <legend class="heading" id={id}>
        {legend}
      </legend>
      {hint && <p class="hint">{hint}</p>}
      <div class="options">
        {options.map(({ name, title, about }) => (
          <label class="option" key={name}>
            <input
              type={kind}
              name={id}
              value={name}
              checked={chosen.includes(name)}
              aria-labelledby={`${id}-${name}`}
              aria-describedby={`${id}-${name}-about${fault ? ` ${id}-fault` : ""}`}
              {...(fault ? { "aria-invalid": "true" } : {})}
              onChange={({ currentTarget }) => onChoose(name, currentTarget.checked)}
            />
            <span class="option-name" id={`${id}-${name}`}>
              {title}
            </span>
            <span class="hint" id={`${id}-${name}-about`}>
              {about}
            </span>
          </label>
        ))}
      </div>
      <FaultText id={`${id}-fault`} text={fault} />
    </fieldset>
  );
}
