import { useEffect, useRef, useState } from "preact/hooks";
import type { ProjectState } from "../../api.ts";
import { runJob } from "../actions.ts";
import { Button } from "../controls/button.tsx";
import { Checkbox } from "../controls/checkbox.tsx";
import { TextField } from "../controls/text-field.tsx";
import { publishForm } from "../state.ts";

interface UnpublishDialogProps {
  project: ProjectState;
  target: string;
  onClose: () => void;
}

/** Asks for the name before anything is removed. */
export function UnpublishDialog({ project, target, onClose }: UnpublishDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [name, setName] = useState("");
  const [isDataDeleted, setDataDeleted] = useState(false);
  useEffect(() => dialog.current?.showModal(), []);
  const unpublish = () => {
    dialog.current?.close();
    const { wait = false } = publishForm.value.options;
    void runJob({ kind: "unpublish", target, name, options: { "delete-data": isDataDeleted, wait } });
  };
  return (
    <dialog class="card" ref={dialog} onClose={onClose} aria-labelledby="unpublish-title">
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (name === project.name) unpublish();
        }}
      >
        <h2 id="unpublish-title">Unpublish {project.name}</h2>
        <p>This removes its containers, networks, images, secrets and history from {target}.</p>
        <TextField label="Name" value={name} hint={`Type ${project.name}.`} onInput={setName} />
        <Checkbox label="Delete its data too" isChecked={isDataDeleted} onChange={setDataDeleted} />
        <div class="row">
          <Button kind="danger" isDisabled={name !== project.name} onClick={unpublish}>
            Unpublish
          </Button>
          <Button onClick={() => dialog.current?.close()}>Cancel</Button>
        </div>
      </form>
    </dialog>
  );
}
