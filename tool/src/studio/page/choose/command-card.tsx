import { useId } from "preact/hooks";
import { CopyButton } from "../controls/copy-button.tsx";
import { FigureList } from "../files/figure-list.tsx";
import { firstCommand, preview, query } from "../state.ts";

/** The same at a terminal, and the link to it. */
export function CommandCard() {
  const id = useId();
  const answer = preview.value;
  const command = answer?.command ?? firstCommand;
  const share = () => `${location.origin}/?${answer?.link ?? query.value}`;
  return (
    <section class="card stack">
      <h2 id={id}>Command</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also for those who have no mouse */}
      <output class="block mono" aria-labelledby={id} aria-live="off" tabIndex={0}>
        {splitFlags(command).map((part, index) => (
          <span class="flag" key={index}>
            {part}
          </span>
        ))}
      </output>
      <div class="row">
        <CopyButton label="Copy command" text={() => command} said="Copied." />
        <CopyButton label="Share" text={share} said="The link is copied." />
      </div>
      {answer?.figures && <FigureList figures={answer.figures} />}
    </section>
  );
}

/** Lines break between flags rather than inside of them. */
const splitFlags = (command: string) => command.split(/(?<= )(?=--)/);
