/** What to do where only one backend can run. */
export function ApplicationHint() {
  return (
    <p class="notice">
      The page runs one backend, and several services are chosen. Make the application under Choose: in its folder,{" "}
      <code>npm start</code> runs all services, and <code>npm test</code> tests each.
    </p>
  );
}
