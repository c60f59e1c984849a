import type { FieldParts } from "../../../new/field-parts.ts";
import type { ChoiceFault } from "../../api.ts";
import { Button } from "../controls/button.tsx";
import { Checkbox } from "../controls/checkbox.tsx";
import { SelectField } from "../controls/select-field.tsx";
import { TextField } from "../controls/text-field.tsx";
import { options } from "../state.ts";
import { BoundsFields } from "./bounds-fields.tsx";

interface FieldRowProps {
  field: FieldParts;
  index: number;
  fault: ChoiceFault | undefined;
  onChange: (changes: Partial<FieldParts>, control?: string) => void;
  onRemove: () => void;
}

export function FieldRow({ field, index, fault, onChange, onRemove }: FieldRowProps) {
  const bounds = options.types.find(({ name }) => name === field.type)?.bounds ?? "none";
  const part = fault && findPart(fault.code, bounds !== "none");
  const at = (name: FieldPart) => (part === name ? fault?.message : undefined);
  return (
    <fieldset class="field-row">
      <legend class="visually-hidden">{field.name || `Field ${index + 1}`}</legend>
      <TextField
        label="Field name"
        value={field.name}
        placeholder="unitPrice"
        fault={at("name")}
        onInput={(name) => onChange({ name }, "name")}
      />
      <SelectField
        label="Type"
        value={field.type}
        options={options.types.map(({ name }) => ({ value: name }))}
        fault={at("type")}
        // Bounds and defaults of another type would only be wrong.
        onChange={(type) => onChange({ type, bounds: undefined, default: undefined })}
      />
      <BoundsFields
        kind={bounds}
        value={field.bounds}
        fault={at("bounds")}
        onChange={(changed, control) => onChange({ bounds: changed }, control)}
      />
      <TextField
        label="Default"
        value={field.default ?? ""}
        class="default"
        fault={at("default")}
        onInput={(text) => onChange({ default: text === "" ? undefined : text }, "default")}
      />
      <div class="field-flags">
        <Checkbox label="Optional" isChecked={field.isOptional} onChange={(isOptional) => onChange({ isOptional })} />
        <Checkbox
          label="Unique"
          isChecked={field.isUnique}
          fault={at("unique")}
          onChange={(isUnique) => onChange({ isUnique })}
        />
        <Button kind="quiet" onClick={onRemove}>
          Remove
        </Button>
      </div>
    </fieldset>
  );
}

type FieldPart = "name" | "type" | "bounds" | "default" | "unique";

/** The control that a fault stands at. */
function findPart(code: string, hasBounds: boolean): FieldPart {
  if (code === "field_type" || code === "field_default" || code === "field_unique")
    return code.slice("field_".length) as FieldPart;
  return hasBounds && (code === "field_malformed" || code.startsWith("ref_")) ? "bounds" : "name";
}
