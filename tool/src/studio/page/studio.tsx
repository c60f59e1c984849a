import type { ComponentChildren } from "preact";
import { openTab } from "./actions.ts";
import { type TabName, tabNames } from "./address.ts";
import { ChooseTab } from "./choose/choose-tab.tsx";
import { type Tab, TabList } from "./controls/tabs.tsx";
import { FilesTab } from "./files/files-tab.tsx";
import { ProjectName } from "./project-name.tsx";
import { PublishTab } from "./publish/publish-tab.tsx";
import { RunTab } from "./run/run-tab.tsx";
import { failure, isConnected, isLocal, notes, options, studio, view } from "./state.ts";

const tabs: (Tab & { name: TabName; content: () => ComponentChildren })[] = [
  { name: "choose", title: "Choose", content: ChooseTab },
  { name: "files", title: "Files", content: FilesTab },
  { name: "run", title: "Run", content: RunTab },
  { name: "publish", title: "Publish", content: PublishTab },
];

/** A public studio has nothing to run and nowhere to publish. */
const shown = isLocal ? tabs : tabs.slice(0, 2);

export function Studio() {
  const chosen = shown.find(({ name }) => name === view.value.tab) ?? shown[0];
  return (
    <div class="frame">
      <header>
        <div>
          <h1 class="brand">
            <Boat />
            <span>
              Dory <span class="muted">studio</span>
            </span>
          </h1>
          <TabList tabs={shown} chosen={chosen?.name ?? ""} onChoose={openNamed} />
          {isLocal && <ProjectName />}
        </div>
      </header>
      <main>
        <Notices />
        {shown.map(({ name, content: Content }) => (
          <div
            role="tabpanel"
            key={name}
            id={`panel-${name}`}
            aria-labelledby={`tab-${name}`}
            hidden={name !== chosen?.name}
          >
            {name === chosen?.name && <Content />}
          </div>
        ))}
      </main>
      <footer>
        Dory {options.version}. What this page does, <code>dory --help</code> does at a terminal.
      </footer>
    </div>
  );
}

/** The icon of the page, which is also in icon.svg. */
function Boat() {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="#0b63a5" />
      <path fill="#fff" d="M15 5v13H7.5Zm2 3.5V18h6.5ZM5.5 20h21c-1 4-4 6.5-7 6.5h-7c-3 0-6-2.5-7-6.5Z" />
    </svg>
  );
}

function openNamed(name: string): void {
  const tab = tabNames.find((one) => one === name);
  if (tab) openTab(tab);
}

/** What concerns the whole page. */
function Notices() {
  return (
    <div class="notices" aria-live="polite">
      {!isConnected.value && <p class="notice warn">The studio does not answer. Is it still running? Trying again …</p>}
      {failure.value && <p class="notice bad">{failure.value}</p>}
      {studio.value.projectFault && <p class="notice warn">{studio.value.projectFault}</p>}
      {notes.value.map((note) => (
        <p class="notice warn" key={note}>
          {note}
        </p>
      ))}
    </div>
  );
}
