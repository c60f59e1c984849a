import type { ComparedFile } from "../../api.ts";
import { CopyButton } from "../controls/copy-button.tsx";
import { project } from "../state.ts";
import { CodeLines } from "./code-lines.tsx";
import { DiffLines } from "./diff-lines.tsx";

interface CodeRegionProps {
  path: string | undefined;
  compared: ComparedFile | undefined;
  titles: [before: string, after: string];
}

/** The text of a file, or what differs in it. */
export function CodeRegion({ path, compared, titles }: CodeRegionProps) {
  const text = project.value?.files.find((file) => file.path === path)?.text;
  return (
    <div class="card code-card">
      <div class="row spread code-head">
        <h2 class="mono">{path}</h2>
        {compared ? (
          <span class="small muted">
            +{compared.added} −{compared.removed}
          </span>
        ) : (
          text !== undefined && (
            <div class="row">
              <CopyButton label="Copy file" text={() => text} said="Copied." />
            </div>
          )
        )}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also for those who have no mouse */}
      <section class="code-scroll" aria-label="Code" tabIndex={0}>
        {compared && compared.diff === "" && <p class="hint">This file is too large to be shown here.</p>}
        {compared && compared.diff !== "" && <DiffLines path={compared.path} diff={compared.diff} titles={titles} />}
        {!compared && path !== undefined && text !== undefined && <CodeLines path={path} text={text} />}
      </section>
    </div>
  );
}
