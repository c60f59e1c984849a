import {
  type Dockerfile,
  DockerfileParser,
  type From,
  type Instruction,
  type PropertyInstruction,
} from "dockerfile-ast";

/** A variable that an `ENV` or an `ARG` sets. */
export interface Variable {
  keyword: string;
  name: string;
  value: string;
  line: number;
}

/** The variables that a Dockerfile sets, also in images that are built from its own. */
export function findVariables(text: string): Variable[] {
  const instructions = DockerfileParser.parse(text).getInstructions();
  return instructions.flatMap((one) => readVariables(withoutOnbuild(one)));
}

/** The base image of the last stage; undefined for `scratch`, or if only the builder knows it. */
export function findBase(text: string): string | undefined {
  const dockerfile = DockerfileParser.parse(text);
  const defaults = new Map(
    dockerfile
      .getInitialARGs()
      .flatMap(readVariables)
      .map(({ name, value }) => [name, value]),
  );
  const stages = readStages(dockerfile, defaults);
  let at = stages.length - 1;
  for (;;) {
    const image = stages[at]?.image ?? "scratch";
    const earlier = stages.slice(0, Math.max(at, 0)).findLastIndex(({ name }) => name === image.toLowerCase());
    if (earlier < 0) return image === "scratch" || image.includes("$") ? undefined : image;
    at = earlier;
  }
}

function readStages(dockerfile: Dockerfile, defaults: Map<string, string>) {
  return dockerfile.getFROMs().map((from: From) => ({
    image: withDefaults(from.getImage() ?? "", defaults),
    name: from.getBuildStage()?.toLowerCase(),
  }));
}

function readVariables(instruction: Instruction): Variable[] {
  const keyword = instruction.getKeyword();
  if (keyword !== "ENV" && keyword !== "ARG") return [];
  const line = instruction.getRange().start.line + 1;
  const properties = (instruction as PropertyInstruction).getProperties();
  // An `ARG` may have no value.
  return properties.flatMap((one) => {
    const value = one.getValue();
    return value === null ? [] : [{ keyword, name: one.getName(), value, line }];
  });
}

/** `ONBUILD ENV A=b` is an instruction for images that are built from this one. */
function withoutOnbuild(instruction: Instruction): Instruction {
  const { getTriggerInstruction } = instruction as { getTriggerInstruction?(): Instruction | null };
  return getTriggerInstruction?.call(instruction) ?? instruction;
}

const withDefaults = (text: string, defaults: Map<string, string>) =>
  text.replaceAll(/\$(?:(\w+)|\{(\w+)\})/g, (whole, name, braced) => defaults.get(name ?? braced) ?? whole);
