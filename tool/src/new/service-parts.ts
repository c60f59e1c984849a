/** A service as it is written: `api=hono`. */
export interface ServiceParts {
  name: string;
  framework?: string;
}

/** Without its framework, if that is missing. */
export function splitService(text: string): ServiceParts {
  const [, name = "", framework = ""] = /^([^=]*)(?:=(.*))?$/s.exec(text) ?? [];
  return framework === "" ? { name } : { name, framework };
}

type Given = { [Part in keyof ServiceParts]?: ServiceParts[Part] | undefined };

export const joinService = ({ name = "", framework = "" }: Given) => `${name}=${framework}`;
