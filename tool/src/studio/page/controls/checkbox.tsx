import { useId } from "preact/hooks";
import { FaultText } from "./control.tsx";

interface CheckboxProps {
  label: string;
  isChecked: boolean;
  onChange: (isChecked: boolean) => void;
  fault?: string | undefined;
}

export function Checkbox({ label, isChecked, onChange, fault }: CheckboxProps) {
  const id = useId();
  return (
    <div class="checkbox">
      <label class="check">
        <input
          type="checkbox"
          checked={isChecked}
          {...(fault ? { "aria-invalid": "true", "aria-describedby": id } : {})}
          onChange={({ currentTarget }) => onChange(currentTarget.checked)}
        />
        {label}
      </label>
      <FaultText id={id} text={fault} />
    </div>
  );
}
