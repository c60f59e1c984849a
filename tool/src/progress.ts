const frames = ["◒", "◐", "◓", "◑"];
const clearLine = "\r\u001b[K";

/** Shows in a terminal that something is under way, and for how long; gives what ends it. */
export function showProgress(line: string): () => void {
  const start = performance.now();
  const seconds = () => Math.floor((performance.now() - start) / 1000);
  let shown = 0;
  const show = () => process.stdout.write(`${clearLine}${frames[shown++ % frames.length]} ${line} ${seconds()} s`);
  const timer = setInterval(show, 100);
  show();
  return () => {
    clearInterval(timer);
    process.stdout.write(`${clearLine}${line} ${seconds()} s\n`);
  };
}
