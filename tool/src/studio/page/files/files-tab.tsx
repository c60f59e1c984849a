import { useEffect } from "preact/hooks";
import type { ComparedFile, Comparison, ProjectAnswer } from "../../api.ts";
import { changeView, showFailure } from "../actions.ts";
import { getJson, postJson } from "../api-client.ts";
import { SelectField } from "../controls/select-field.tsx";
import { Tree } from "../controls/tree.tsx";
import { choices, comparison, options, preview, project, query, view } from "../state.ts";
import { CodeRegion } from "./code-region.tsx";
import { listOthers, type Other } from "./compare.ts";
import { FigureList } from "./figure-list.tsx";
import { toTree } from "./tree-nodes.ts";

/** What is in the project, and how it differs from another one. */
export function FilesTab() {
  const answer = preview.value;
  const others = listOthers(choices.value);
  const other = others.find(({ value }) => value === view.value.compare);
  useProject(answer?.digest ?? null);
  const compared = useComparison(other);
  const files = answer?.files ?? [];
  const removed = compared?.files.filter(({ state }) => state === "removed") ?? [];
  const states = new Map(compared?.files.map(({ path, state }) => [path, state]));
  const shown = [...files, ...removed]
    .filter(({ path }) => !compared || states.has(path))
    .map(({ path }) => ({ path, ...(states.has(path) ? { state: states.get(path) ?? "" } : {}) }));
  const file = shown.some(({ path }) => path === view.value.file)
    ? view.value.file
    : pickFirst(shown, choices.value.services[0]?.name);
  const own = options.frameworks.find(({ name }) => name === choices.value.framework)?.title ?? "This project";
  return (
    <div class="stack">
      <div class="card files-head">
        <SelectField
          label="Compare with"
          value={other?.value ?? ""}
          options={[{ value: "", title: "Nothing" }, ...others]}
          onChange={(value) => changeView({ compare: value || undefined })}
        />
        {answer?.figures && <FigureList figures={answer.figures} {...(compared ? { before: compared.before } : {})} />}
        {compared && other && <ChangeCounts files={compared.files} title={other.title} />}
      </div>
      {answer && answer.faults.length > 0 ? (
        <p class="notice warn">A project needs choices without faults. Correct what is marked under Choose.</p>
      ) : (
        <div class="files">
          <nav class="card file-tree" aria-label="Files of the project">
            <Tree
              label="Files"
              nodes={toTree(shown)}
              chosen={file}
              isClosed={(path) => !compared && /(^|\/)(core|\.\w+|test)$/.test(path)}
              onChoose={(path) => changeView({ file: path }, false)}
            />
          </nav>
          <CodeRegion
            path={file}
            compared={compared?.files.find(({ path }) => path === file)}
            titles={[other?.title ?? "", own]}
          />
        </div>
      )}
    </div>
  );
}

function ChangeCounts({ files, title }: { files: ComparedFile[]; title: string }) {
  const count = (state: ComparedFile["state"]) => files.filter((file) => file.state === state).length;
  return (
    <p class="row" role="status">
      <span class="small muted">Against {title}:</span>
      <span class="badge good">{count("added")} added</span>
      <span class="badge bad">{count("removed")} removed</span>
      <span class="badge accent">{count("changed")} changed</span>
    </p>
  );
}

/** The file that a reader begins with. */
function pickFirst(files: { path: string }[], service?: string): string | undefined {
  const paths = files.map(({ path }) => path);
  const wanted = ["src/app.ts", "src/items/routes.ts"].map((path) => (service ? `${service}/${path}` : path));
  return wanted.find((path) => paths.includes(path)) ?? paths[0];
}

/** Loads the texts of the files, once for each digest. */
function useProject(digest: string | null): void {
  useEffect(() => {
    if (digest === null || project.value?.digest === digest) return;
    const { name } = choices.value;
    const given = new URLSearchParams(query.value);
    given.delete("name");
    getJson<ProjectAnswer>(`/projects/${encodeURIComponent(name)}.json?${given}`)
      .then((answer) => {
        project.value = answer;
      })
      .catch(showFailure);
  }, [digest]);
}

/** What differs from the other project; undefined while that is not known. */
function useComparison(other: Other | undefined): Comparison | undefined {
  const key = other && `${query.value} ${other.query}`;
  useEffect(() => {
    if (!other || key === undefined || comparison.value?.key === key) return;
    const controller = new AbortController();
    postJson<Comparison>("/api/compare", { query: query.value, against: other.query }, controller.signal)
      .then((result) => {
        comparison.value = { key, result };
      })
      .catch((error) => void (controller.signal.aborted || showFailure(error)));
    return () => controller.abort();
  }, [key]);
  return comparison.value?.key === key ? comparison.value?.result : undefined;
}
