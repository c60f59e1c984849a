import { relative } from "node:path";
import type { Application, Service } from "./application.ts";

export const mark = "# Made from dory.json by dory compose; changes here are lost when it is made again.";

/** The text of `compose.yaml`: the services as they are published, the first one reached on port 3000. */
export function printCompose(application: Application): string {
  const { services } = application;
  const secrets = [...new Set(services.flatMap(({ secrets }) => secrets))];
  const volumes = services.filter(({ folder }) => folder !== undefined).map(({ name }) => `${name}-data`);
  return [
    mark,
    `name: ${quote(application.name)}`,
    "services:",
    ...services.flatMap((service, index) => [
      `  ${quote(service.name)}:`,
      ...serviceLines(application, service, index === 0),
    ]),
    ...(secrets.length > 0
      ? ["secrets:", ...secrets.flatMap((name) => [`  ${name}:`, `    environment: ${name}`])]
      : []),
    ...(volumes.length > 0 ? ["volumes:", ...volumes.map((name) => `  ${quote(name)}:`)] : []),
    "",
  ].join("\n");
}

function serviceLines({ folder: parent }: Application, service: Service, isPublic: boolean): string[] {
  const { name, folder, image, port, env, secrets } = service;
  const variables = {
    ...env,
    ...Object.fromEntries(secrets.map((secret) => [`${secret}_FILE`, `/run/secrets/${secret}`])),
  };
  const lines = [
    folder === undefined ? `image: ${quote(image ?? "")}` : `build: ${quote(`./${relative(parent, folder)}`)}`,
    ...(isPublic ? ["ports:", `  - "127.0.0.1:3000:${port}"`] : []),
    ...list(
      "environment",
      Object.entries(variables).map(([key, value]) => `${key}: ${quote(value)}`),
    ),
    ...list(
      "secrets",
      secrets.map((secret) => `- ${secret}`),
    ),
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
