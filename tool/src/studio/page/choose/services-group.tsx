import { useRef } from "preact/hooks";
import { choose } from "../actions.ts";
import { addService, removeService, type ServiceChoices } from "../choices.ts";
import { Button } from "../controls/button.tsx";
import { focusAfterRemoval, focusLater } from "../controls/focus.ts";
import { SelectField } from "../controls/select-field.tsx";
import { TextField } from "../controls/text-field.tsx";
import { choices, findFault, options } from "../state.ts";

/** The services of an application: each is a backend in a framework of its own. */
export function ServicesGroup() {
  const group = useRef<HTMLFieldSetElement>(null);
  const { services } = choices.value;
  const add = () => {
    choose(addService(choices.value));
    focusLater(() => [...(group.current?.querySelectorAll(".service-row input") ?? [])].at(-1));
  };
  const remove = (index: number) => {
    choose(removeService(choices.value, index));
    focusAfterRemoval(group.current, ".service-row", index);
  };
  return (
    <fieldset class="stack" ref={group}>
      <legend class="heading">Services</legend>
      {services.map((service, index) => (
        <ServiceRow key={index} service={service} index={index} onRemove={() => remove(index)} />
      ))}
      <div class="row">
        <Button onClick={add}>Add service</Button>
        <span class="hint">
          For an application: several backends in one repository. All other choices apply to each of them.
        </span>
      </div>
    </fieldset>
  );
}

interface ServiceRowProps {
  service: ServiceChoices;
  index: number;
  onRemove: () => void;
}

function ServiceRow({ service, index, onRemove }: ServiceRowProps) {
  const fault = findFault("service", index);
  const isOfFramework = fault !== undefined && /framework$/.test(fault.code);
  const change = (changes: Partial<ServiceChoices>, control?: string) =>
    choose(
      { services: choices.value.services.map((one, at) => (at === index ? { ...one, ...changes } : one)) },
      control && `service-${index}-${control}`,
    );
  return (
    <fieldset class="service-row">
      <legend class="visually-hidden">{service.name || `Service ${index + 1}`}</legend>
      <TextField
        label="Service name"
        value={service.name}
        placeholder="api"
        fault={isOfFramework ? undefined : fault?.message}
        onInput={(name) => change({ name }, "name")}
      />
      <SelectField
        label="Framework"
        value={service.framework}
        options={options.frameworks.map(({ name, title }) => ({ value: name, title }))}
        fault={isOfFramework ? fault?.message : undefined}
        onChange={(framework) => change({ framework })}
      />
      <Button kind="quiet" onClick={onRemove}>
        Remove
      </Button>
    </fieldset>
  );
}
