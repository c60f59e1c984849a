import type { RequestInput } from "../../tool/src/new/request.ts";

/** A project with what works in the background, and so many resources. */
export function scaleRequest(resources: number): RequestInput & { name: string } {
  const others = Array.from(
    { length: resources - 1 },
    (_, index) => `${String.fromCharCode(97 + index)}-others: name:string(1..200)`,
  );
  return {
    name: `scale-${resources}`,
    framework: "hono",
    database: "postgres",
    features: ["item-routes"],
    webhooks: ["github"],
    resources: others,
  };
}
