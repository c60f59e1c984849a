import type { PublishField, PublishOptions } from "../../api.ts";
import { Checkbox } from "../controls/checkbox.tsx";
import { TextField } from "../controls/text-field.tsx";

interface PublishFieldControlProps {
  field: PublishField;
  options: PublishOptions;
  fault: string | undefined;
  onChange: (changes: PublishOptions) => void;
}

/** A flag of `dory publish`, as a control. */
export function PublishFieldControl({ field, options, fault, onChange }: PublishFieldControlProps) {
  const { name, title, sentence, isRequired } = field;
  if (field.type === "checkbox")
    return (
      <Checkbox
        label={title}
        hint={sentence}
        isChecked={options[name] === field.checked}
        fault={fault}
        onChange={(isChecked) => onChange({ [name]: isChecked === field.checked })}
      />
    );
  return (
    <TextField
      label={title}
      value={String(options[name] ?? "")}
      hint={sentence}
      placeholder={field.placeholder}
      isRequired={isRequired}
      fault={fault}
      onInput={(value) => onChange({ [name]: value })}
    />
  );
}
