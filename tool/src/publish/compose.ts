import { relative } from "node:path";
import { type Application, isPostgres, type Service } from "./application.ts";
import { volumesOf } from "./volumes.ts";

export const mark = "# Made from dory.json by dory compose; changes here are lost when it is made again.";

/** The text of `compose.yaml`: the services as they are published, the first one on port 3000. */
export async function printCompose(application: Application): Promise<string> {
  const images = application.services.flatMap(({ image }) => image ?? []);
  const found = new Map(await Promise.all(images.map(async (image) => [image, await volumesOf(image)] as const)));
  return composeWith(application, (image) => found.get(image) ?? []);
}

/** The same, with the paths at which images keep data. */
export function composeWith(application: Application, volumesOf: (image: string) => string[]): string {
  const { name, services } = application;
  const volumesFor = (service: Service) => namedVolumes(service, dataPaths(service, volumesOf));
  const composed = services.map((service, index) => [
    service.name,
    composedService(application, service, volumesFor(service), index === 0),
  ]);
  const volumes = services.flatMap((service) => volumesFor(service).map(([volume]) => volume));
  const document = {
    name,
    services: Object.fromEntries(composed),
    ...(volumes.length > 0 ? { volumes: Object.fromEntries(volumes.map((volume) => [volume, {}])) } : {}),
  };
  return `${mark}\n${yaml(document).join("\n")}\n`;
}

/** Where a service keeps data that must outlive its container. */
function dataPaths({ folder, image = "", request, env }: Service, volumesOf: (image: string) => string[]): string[] {
  if (folder === undefined) return volumesOf(image);
  return request?.database === "postgres" || isPostgres(env["DATABASE_URL"]) ? [] : ["/app/data"];
}

const namedVolumes = ({ name }: Service, paths: string[]) =>
  paths.map((path, index): [volume: string, path: string] => [`${name}-data${index > 0 ? `-${index + 1}` : ""}`, path]);

function composedService(
  { folder: parent }: Application,
  { folder, image, port, env, secrets }: Service,
  volumes: [volume: string, path: string][],
  isPublic: boolean,
): object {
  const variables = [
    ...Object.entries(env).map(([name, value]) => [name, literal(value)]),
    // Not files: Compose cannot copy secrets into a read-only container.
    ...secrets.map((secret) => [secret, `\${${secret}:?must be set}`]),
  ];
  return {
    ...(folder === undefined ? { image: literal(image ?? "") } : { build: literal(`./${relative(parent, folder)}`) }),
    ...(isPublic ? { ports: [`127.0.0.1:3000:${port}`] } : {}),
    ...(variables.length > 0 ? { environment: Object.fromEntries(variables) } : {}),
    ...(folder === undefined ? {} : { init: true, read_only: true, tmpfs: ["/tmp"], cap_drop: ["ALL"] }),
    security_opt: ["no-new-privileges:true"],
    ...(volumes.length > 0 ? { volumes: volumes.map(([volume, path]) => `${volume}:${path}`) } : {}),
    restart: "unless-stopped",
  };
}

/** Compose would read a dollar sign as a variable. */
const literal = (text: string) => text.replaceAll("$", "$$$$");

/** Every key and string is quoted, so that YAML cannot read it as another type. */
function yaml(document: object): string[] {
  return Object.entries(document).flatMap(([key, value]) => {
    const isNested = typeof value === "object" && !Array.isArray(value) && Object.keys(value).length > 0;
    return isNested ? [`${json(key)}:`, ...yaml(value).map((line) => `  ${line}`)] : [`${json(key)}: ${json(value)}`];
  });
}

/** JSON is YAML, except for characters that YAML does not allow. */
const json = (value: unknown) =>
  JSON.stringify(value).replaceAll(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
