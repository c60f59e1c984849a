export interface Tab {
  name: string;
  title: string;
}

interface TabListProps {
  tabs: readonly Tab[];
  chosen: string;
  onChoose: (name: string) => void;
}

/** Arrow keys, Home and End move between tabs, as https://www.w3.org/WAI/ARIA/apg/patterns/tabs/ says. */
export function TabList({ tabs, chosen, onChoose }: TabListProps) {
  const index = tabs.findIndex(({ name }) => name === chosen);
  const move = (event: KeyboardEvent) => {
    const to = { ArrowLeft: index - 1, ArrowRight: index + 1, Home: 0, End: -1 }[event.key];
    const tab = to === undefined ? undefined : tabs.at(to % tabs.length);
    if (!tab) return;
    event.preventDefault();
    onChoose(tab.name);
    document.getElementById(`tab-${tab.name}`)?.focus();
  };
  return (
    <div role="tablist" aria-label="Studio" onKeyDown={move}>
      {tabs.map(({ name, title }) => (
        <button
          type="button"
          role="tab"
          key={name}
          id={`tab-${name}`}
          aria-controls={`panel-${name}`}
          aria-selected={name === chosen}
          tabIndex={name === chosen ? 0 : -1}
          onClick={() => onChoose(name)}
        >
          {title}
        </button>
      ))}
    </div>
  );
}
