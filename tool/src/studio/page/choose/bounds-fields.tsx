import type { TypeChoice } from "../../api.ts";
import { SelectField } from "../controls/select-field.tsx";
import { TextField } from "../controls/text-field.tsx";
import { choices } from "../state.ts";

interface BoundsFieldsProps {
  kind: TypeChoice["bounds"];
  /** What stands between the brackets. */
  value: string | undefined;
  fault: string | undefined;
  onChange: (value: string | undefined, control?: string) => void;
}

/** The bounds that a type has. */
export function BoundsFields({ kind, value = "", fault, onChange }: BoundsFieldsProps) {
  if (kind === "none") return null;
  if (kind === "values")
    return (
      <TextField
        label="Values"
        class="wide"
        value={value}
        placeholder="small|medium|large"
        fault={fault}
        onInput={(text) => onChange(text || undefined, "values")}
      />
    );
  if (kind === "resource") return <ReferenceField value={value} fault={fault} onChange={onChange} />;
  const { min, max } = splitRange(value);
  return (
    <>
      <TextField label="Minimum" value={min} fault={fault} onInput={(text) => onChange(joinRange(text, max), "min")} />
      <TextField label="Maximum" value={max} onInput={(text) => onChange(joinRange(min, text), "max")} />
    </>
  );
}

function ReferenceField({ value, fault, onChange }: Pick<BoundsFieldsProps, "fault" | "onChange"> & { value: string }) {
  const names = ["items", ...choices.value.resources.map(({ name }) => name)].filter((name) => name !== "");
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

/** Bounds are written `1..200`, or `min=1,max=200`. */
function splitRange(bounds: string): { min: string; max: string } {
  const [, low, high] = /^(?:min=)?([^.,=]*(?:\.[^.,=]+)?)(?:\.\.|,?max=|$)(.*)$/.exec(bounds) ?? [];
  return { min: low ?? bounds, max: high ?? "" };
}

const joinRange = (min: string, max: string) => (min === "" && max === "" ? undefined : `${min}..${max}`);
