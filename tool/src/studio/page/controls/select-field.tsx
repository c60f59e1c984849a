import type { ComponentChildren } from "preact";
import { Control } from "./control.tsx";

export interface SelectOption {
  value: string;
  title?: string;
  group?: string;
}

interface SelectFieldProps {
  label: string;
  value: string;
  options: SelectOption[];
  onChange: (value: string) => void;
  hint?: ComponentChildren;
  fault?: string | undefined;
  class?: string;
}

export function SelectField({ label, value, options, onChange, hint, fault, class: name = "" }: SelectFieldProps) {
  const isKnown = options.some((option) => option.value === value);
  const groups = [...new Set(options.map(({ group }) => group))];
  return (
    <Control label={label} hint={hint} fault={fault} class={name}>
      {(ids) => (
        <select {...ids} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
          {!isKnown && <option value={value}>{value}</option>}
          {groups.map((group) => {
            const own = options.filter((option) => option.group === group).map(renderOption);
            return group === undefined ? own : <optgroup label={group}>{own}</optgroup>;
          })}
        </select>
      )}
    </Control>
  );
}

const renderOption = ({ value, title }: SelectOption) => (
  <option key={value} value={value}>
    {title ?? value}
  </option>
);
