import { openProject } from "./actions.ts";
import { studio } from "./state.ts";

/** The project that is shown; others in the same folder can be opened. */
export function ProjectName() {
  const { project, projects, folder } = studio.value;
  const others = projects.filter((path) => path !== project?.folder);
  if (others.length === 0)
    return (
      <p class="project" title={folder}>
        {project ? <span class="badge accent">{project.name}</span> : <span class="muted">No project yet</span>}
      </p>
    );
  return (
    <label class="project" title={folder}>
      <span class="muted">Project</span>
      <select
        value={project?.folder ?? ""}
        onChange={({ currentTarget }) => void (currentTarget.value && openProject(currentTarget.value))}
      >
        {project ? <option value={project.folder}>{project.name}</option> : <option value="">None yet</option>}
        {others.map((path) => (
          <option key={path} value={path}>
            {path}
          </option>
        ))}
      </select>
    </label>
  );
}
