import type { TypeChoice } from "../../api.ts";
import { SelectField } from "../controls/select-field.tsx";
import { TextField } from "../controls/text-field.tsx";
import { choices } from "../state.ts";
import { joinRange, splitRange } from "./bounds.ts";

interface BoundsFieldsProps {
  kind: TypeChoice["bounds"];
  /** What stands between the brackets. */
  value: string | undefined;
  /** The fault of one of these controls. */
  findFault: (part: "bounds" | "min" | "max") => string | undefined;
  /** The resource that the field is one of: a reference to itself would be a circle. */
  resource: string;
  onChange: (value: string | undefined, control?: string) => void;
}

/** The bounds that a type has. */
export function BoundsFields({ kind, value = "", findFault, resource, onChange }: BoundsFieldsProps) {
  if (kind === "none") return null;
  if (kind === "values")
    return (
      <TextField
        label="Values"
        class="wide"
        value={value}
        placeholder="small|medium|large"
        fault={findFault("bounds")}
        onInput={(text) => onChange(text || undefined, "values")}
      />
    );
  if (kind === "resource")
    return <ReferenceField value={value} fault={findFault("bounds")} resource={resource} onChange={onChange} />;
  const { min, max } = splitRange(value);
  return (
    <>
      <TextField
        label="Minimum"
        value={min}
        fault={findFault("min")}
        onInput={(text) => onChange(joinRange(text, max), "min")}
      />
      <TextField
        label="Maximum"
        value={max}
        fault={findFault("max")}
        onInput={(text) => onChange(joinRange(min, text), "max")}
      />
    </>
  );
}

interface ReferenceFieldProps extends Pick<BoundsFieldsProps, "resource" | "onChange"> {
  value: string;
  fault: string | undefined;
}

function ReferenceField({ value, fault, resource, onChange }: ReferenceFieldProps) {
  const names = ["items", ...choices.value.resources.map(({ name }) => name)].filter(
    (name) => name !== "" && name !== resource,
  );
  const known = names.map((name) => ({ value: name }));
  return (
    <SelectField
      label="Refers to"
      class="wide"
      value={value}
      options={[{ value: "", title: "Choose a resource" }, ...known]}
      fault={fault}
      onChange={(to) => onChange(to || undefined)}
    />
  );
}
