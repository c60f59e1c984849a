import { relative } from "node:path";
import type { Application, Service } from "./application.ts";

export const mark = "# Made from dory.json by dory compose; changes here are lost when it is made again.";

/** The text of `compose.yaml`: the services as they are published, the first one reached on port 3000. */
export function printCompose(application: Application): string {
  const { services } = application;
  const volumes = services.filter(({ folder }) => folder !== undefined).map(({ name }) => `${name}-data`);
  return [
    mark,
    `name: ${quote(application.name)}`,
    "services:",
    ...services.flatMap((service, index) => [
      `  ${quote(service.name)}:`,
      ...serviceLines(application, service, index === 0),
    ]),
    ...(volumes.length > 0 ? ["volumes:", ...volumes.map((name) => `  ${quote(name)}:`)] : []),
    "",
  ].join("\n");
}

function serviceLines({ folder: parent }: Application, service: Service, isPublic: boolean): string[] {
  const { name, folder, image, port, env, secrets } = service;
  const variables = [
    ...Object.entries(env).map(([key, value]) => `${key}: ${quote(value)}`),
    // Files would not do: Compose copies secrets into the container, which a read-only one does not let it.
    ...secrets.map((secret) => `${secret}: \${${secret}:?must be set}`),
  ];
  const lines = [
    folder === undefined ? `image: ${quote(image ?? "")}` : `build: ${quote(`./${relative(parent, folder)}`)}`,
    ...(isPublic ? ["ports:", `  - "127.0.0.1:3000:${port}"`] : []),
    ...list("environment", variables),
    ...(folder === undefined ? [] : hardened),
    ...(folder === undefined ? [] : ["volumes:", `  - ${quote(`${name}-data:/app/data`)}`]),
    "restart: unless-stopped",
  ];
  return lines.map((line) => `    ${line}`);
}

const hardened = [
  "init: true",
  "read_only: true",
  'tmpfs: ["/tmp"]',
  "cap_drop: [ALL]",
  'security_opt: ["no-new-privileges:true"]',
];

const list = (name: string, lines: string[]) =>
  lines.length > 0 ? [`${name}:`, ...lines.map((line) => `  ${line}`)] : [];

/** A JSON string is a YAML string too; a dollar sign would be taken for a variable. */
const quote = (text: string) => JSON.stringify(text).replaceAll("$", "$$$$");
