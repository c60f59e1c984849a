import { type FieldParts, joinField, splitField } from "../../../new/field-parts.ts";
import type { ChoiceFault, TypeChoice } from "../../api.ts";

type Fault = Pick<ChoiceFault, "code" | "message">;

/** The control of a row that a fault stands at. */
export type FieldPart = "name" | "type" | "bounds" | "min" | "max" | "default" | "unique";

export function findPart({ code, message }: Fault, field: FieldParts, kind: TypeChoice["bounds"]): FieldPart {
  if (code === "field_type" || code === "field_default" || code === "field_unique")
    return code.slice("field_".length) as FieldPart;
  if (code.startsWith("ref_")) return kind === "none" ? "name" : "bounds";
  if (code !== "field_malformed" || splitField(joinField(field))?.name !== field.name) return "name";
  if (kind === "range") return field.bounds === undefined ? "name" : findBound(field.bounds, message);
  return kind === "none" ? "type" : "bounds";
}

/** The bound that is no number, or that the message names; else the first. */
function findBound(bounds: string, message: string): "min" | "max" {
  const isWrong = (text: string) =>
    text !== "" && (!/^-?\d+(\.\d+)?$/.test(text) || message.includes(`the bound ${Number(text)} `));
  const { min, max } = splitRange(bounds);
  return !isWrong(min) && isWrong(max) ? "max" : "min";
}

/** Bounds are written `1..200`, or `min=1,max=200`. */
export function splitRange(bounds: string): { min: string; max: string } {
  const [, low, high] = /^(?:min=)?([^.,=]*(?:\.[^.,=]+)?)(?:\.\.|,?max=|$)(.*)$/.exec(bounds) ?? [];
  return { min: low ?? bounds, max: high ?? "" };
}

export const joinRange = (min: string, max: string) => (min === "" && max === "" ? undefined : `${min}..${max}`);
