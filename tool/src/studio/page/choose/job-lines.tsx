import { lines } from "../state.ts";

/** The last lines that a job printed. */
export function JobLines({ job }: { job: string }) {
  const own = lines.value.filter((line) => line.job === job).slice(-6);
  return (
    <ul class="block mono" aria-label="Progress">
      {own.length === 0 ? <li>…</li> : own.map(({ id, text }) => <li key={id}>{text}</li>)}
    </ul>
  );
}
