import type { ComponentChildren } from "preact";
import { Control } from "./control.tsx";

interface TextFieldProps {
  label: string;
  value: string;
  onInput: (value: string) => void;
  hint?: ComponentChildren;
  fault?: string | undefined;
  placeholder?: string;
  type?: "text" | "password";
  isRequired?: boolean;
  isDisabled?: boolean;
  class?: string;
}

export function TextField({ label, value, onInput, hint, fault, type = "text", isRequired, ...rest }: TextFieldProps) {
  const attributes = {
    value,
    placeholder: rest.placeholder ?? "",
    required: isRequired ?? false,
    disabled: rest.isDisabled ?? false,
    autocapitalize: "off",
    spellcheck: false,
    onInput: ({ currentTarget }: { currentTarget: HTMLInputElement }) => onInput(currentTarget.value),
  } as const;
  return (
    <Control label={label} hint={hint} fault={fault} class={rest.class ?? ""}>
      {(ids) =>
        type === "password" ? (
          <input type="password" autocomplete="new-password" {...ids} {...attributes} />
        ) : (
          <input type="text" autocomplete="off" {...ids} {...attributes} />
        )
      }
    </Control>
  );
}
