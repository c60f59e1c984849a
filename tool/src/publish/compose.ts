import { relative } from "node:path";
import { type Application, isPostgres, type Service } from "./application.ts";
import { findVolumes } from "./volumes.ts";

export const mark = "# Made from dory.json by dory compose; changes here are lost when it is made again.";

/** The text of `compose.yaml`: the services as they are published, the first one on port 3000. */
export async function printCompose(application: Application): Promise<string> {
  const images = application.services.flatMap(({ image }) => image ?? []);
  const found = new Map(await Promise.all(images.map(async (image) => [image, await findVolumes(image)] as const)));
  return printComposeWith(application, (image) => found.get(image) ?? []);
}

/** The same, with the paths at which images keep data. */
export function printComposeWith(application: Application, findVolumes: (image: string) => string[]): string {
  const { name, services } = application;
  const listVolumes = (service: Service) => nameVolumes(service, findDataPaths(service, findVolumes));
  const composed = services.map((service, index) => [
    service.name,
    toComposeService(application, service, listVolumes(service), index === 0),
  ]);
  const volumes = services.flatMap((service) => listVolumes(service).map(([volume]) => volume));
  const document = {
    name,
    services: Object.fromEntries(composed),
    ...(volumes.length > 0 ? { volumes: Object.fromEntries(volumes.map((volume) => [volume, {}])) } : {}),
  };
  return `${mark}\n${printYaml(document).join("\n")}\n`;
}

/** Where a service keeps data that must outlive its container. */
function findDataPaths(
  { folder, image = "", request, env }: Service,
  findVolumes: (image: string) => string[],
): string[] {
  if (folder === undefined) return findVolumes(image);
  return request?.database === "postgres" || isPostgres(env["DATABASE_URL"]) ? [] : ["/app/data"];
}

const nameVolumes = ({ name }: Service, paths: string[]) =>
  paths.map((path, index): [volume: string, path: string] => [`${name}-data${index > 0 ? `-${index + 1}` : ""}`, path]);

function toComposeService(
  { folder: parent }: Application,
  { folder, image, port, env, secrets }: Service,
  volumes: [volume: string, path: string][],
  isPublic: boolean,
): object {
  const variables = [
    ...Object.entries(env).map(([name, value]) => [name, escapeDollars(value)]),
    // Not files: Compose cannot copy secrets into a read-only container.
    ...secrets.map((secret) => [secret, `\${${secret}:?must be set}`]),
  ];
  return {
    ...(folder === undefined
      ? { image: escapeDollars(image ?? "") }
      : { build: escapeDollars(`./${relative(parent, folder)}`) }),
    ...(isPublic ? { ports: [`127.0.0.1:3000:${port}`] } : {}),
    ...(variables.length > 0 ? { environment: Object.fromEntries(variables) } : {}),
    ...(folder === undefined ? {} : { init: true, read_only: true, tmpfs: ["/tmp"], cap_drop: ["ALL"] }),
    security_opt: ["no-new-privileges:true"],
    ...(volumes.length > 0 ? { volumes: volumes.map(([volume, path]) => `${volume}:${path}`) } : {}),
    restart: "unless-stopped",
  };
}

/** Compose would read a dollar sign as a variable. */
const escapeDollars = (text: string) => text.replaceAll("$", "$$$$");

/** Every key and string is quoted, so that YAML cannot read it as another type. */
function printYaml(document: object): string[] {
  return Object.entries(document).flatMap(([key, value]) => {
    const isNested = typeof value === "object" && !Array.isArray(value) && Object.keys(value).length > 0;
    return isNested
      ? [`${quoteForYaml(key)}:`, ...printYaml(value).map((line) => `  ${line}`)]
      : [`${quoteForYaml(key)}: ${quoteForYaml(value)}`];
  });
}

/** JSON is YAML, except for characters that YAML does not allow. */
const quoteForYaml = (value: unknown) =>
  JSON.stringify(value).replaceAll(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
