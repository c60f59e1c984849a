import { rules } from "./compare.ts";
import type { Ecosystem, Package } from "./ecosystem.ts";

const head = `# Packages in each framework

What works on plain Node with a framework works in a project, with the same result. This page is written by
\`tool/test/ecosystem.matrix.test.ts\`: each package is used as its README shows, once on plain Node and once in a project that is built as
for production, and all answers are compared. \`npm run test:all\` fails if a result differs from this page.

Only this may differ, because the contract of a backend says so:

${rules.map(({ because }) => `- ${because}`).join("\n")}
`;

/** The part of the page about one framework. */
export function printSection(framework: string, { packages }: Ecosystem, same: Set<string>): string {
  const rows = (chosen: Package[]) =>
    chosen.map((one) => `| ${printTitle(one)} | ${one.requests.length} | ${same.has(one.name) ? "same" : "differs"} |`);
  const table = (title: string, chosen: Package[]) =>
    chosen.length > 0 ? [`| ${title} | Requests | Result |`, "| --- | --- | --- |", ...rows(chosen), ""] : [];
  return [
    `## ${framework}`,
    "",
    ...table("Package", packages.filter(isInstalled)),
    ...table(
      "By itself",
      packages.filter((one) => !isInstalled(one)),
    ),
  ].join("\n");
}

const isInstalled = ({ version }: Package) => version !== undefined;

function printTitle({ name, version, about }: Package): string {
  return (version ? `${name} ${version}` : name) + (about ? `: ${about}` : "");
}

/** The page with a section added or replaced; sections are in alphabetical order. */
export function withSection(page: string, framework: string, section: string): string {
  const sections = new Map(
    page
      .split(/^(?=## )/m)
      .slice(1)
      .map((text) => [/^## (.*)/.exec(text)?.[1] ?? "", text.trimEnd()]),
  );
  sections.set(framework, section.trimEnd());
  const ordered = [...sections].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text);
  return `${[head.trimEnd(), ...ordered].join("\n\n")}\n`;
}
