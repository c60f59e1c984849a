import { joinField } from "../../../new/field-parts.ts";
import { type ProjectChoices, writeChoices } from "../choices.ts";
import type { SelectOption } from "../controls/select-field.tsx";
import { options } from "../state.ts";

/** Another project to compare with. */
export interface Other extends SelectOption {
  /** As the head of a column: `Koa`, `Without auth`. */
  title: string;
  query: string;
}

/** The same project in another framework, and without each of the choices. */
export function listOthers(choices: ProjectChoices): Other[] {
  const { features, webhooks, fields, resources, services } = choices;
  const create = (value: string, group: string, title: string, changes: Partial<ProjectChoices>): Other => ({
    value,
    group,
    title,
    query: writeChoices({ ...choices, ...changes }),
  });
  const without = (what: string, title: string, changes: Partial<ProjectChoices>) =>
    create(`without:${what}`, "Without a choice", `Without ${title}`, changes);
  return [
    ...options.frameworks
      .filter(({ name }) => !isAllIn(name, choices))
      .map(({ name, title }) => create(`framework:${name}`, "Another framework", title, moveTo(name, choices))),
    ...services
      .filter(() => services.length > 1)
      .map((one) =>
        without(`service-${one.name}`, `service ${one.name}`, { services: services.filter((other) => other !== one) }),
      ),
    ...features.map((one) => without(one, one, { features: features.filter((other) => other !== one) })),
    ...webhooks.map((one) =>
      without(`webhook-${one}`, `webhooks from ${one}`, { webhooks: webhooks.filter((other) => other !== one) }),
    ),
    ...fields
      .filter(() => fields.length > 1)
      .map((one) => without(joinField(one), `field ${one.name}`, { fields: fields.filter((other) => other !== one) })),
    ...resources.map((one) =>
      without(`resource-${one.name}`, `resource ${one.name}`, {
        resources: resources.filter((other) => other !== one),
      }),
    ),
  ];
}

const isAllIn = (name: string, { framework, services }: ProjectChoices) =>
  services.length > 0 ? services.every((service) => service.framework === name) : framework === name;

/** Of an application, all services. */
const moveTo = (framework: string, { services }: ProjectChoices): Partial<ProjectChoices> =>
  services.length > 0 ? { services: services.map((service) => ({ ...service, framework })) } : { framework };
