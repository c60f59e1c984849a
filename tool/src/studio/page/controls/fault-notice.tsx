/** Why something failed: what happened, and below it what a program printed. */
export function FaultNotice({ message }: { message: string }) {
  const [what = "", ...rest] = message.split("\n");
  return (
    <div class="notice bad" role="alert">
      <p>{what}</p>
      {rest.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also for those who have no mouse
        <pre class="fault-details" tabIndex={0}>
          {rest.join("\n")}
        </pre>
      )}
    </div>
  );
}
