import { useId } from "preact/hooks";
import { FaultText } from "./control.tsx";

interface CheckboxProps {
  label: string;
  isChecked: boolean;
  onChange: (isChecked: boolean) => void;
  hint?: string;
  fault?: string | undefined;
  isDisabled?: boolean;
}

export function Checkbox({ label, isChecked, onChange, hint, fault, isDisabled = false }: CheckboxProps) {
  const id = useId();
  const described = [...(hint ? [`${id}-hint`] : []), ...(fault ? [id] : [])].join(" ");
  return (
    <div class="checkbox">
      <label class="check">
        <input
          type="checkbox"
          checked={isChecked}
          disabled={isDisabled}
          {...(fault ? { "aria-invalid": "true" } : {})}
          {...(described ? { "aria-describedby": described } : {})}
          onChange={({ currentTarget }) => onChange(currentTarget.checked)}
        />
        {label}
      </label>
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      <FaultText id={id} text={fault} />
    </div>
  );
}
