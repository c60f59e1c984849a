import { useState } from "preact/hooks";
import { Button } from "./button.tsx";

/** Copies a text, and says so for a moment. */
export function CopyButton({ label, text, said }: { label: string; text: () => string; said: string }) {
  const [message, setMessage] = useState("");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text());
      setMessage(said);
    } catch {
      setMessage("The browser does not allow copying here. Select the text instead.");
    }
    setTimeout(() => setMessage(""), 4000);
  };
  return (
    <span class="copy">
      <span class="small muted" role="status">
        {message}
      </span>
      <Button onClick={copy}>{label}</Button>
    </span>
  );
}
