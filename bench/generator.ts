import { Client } from "./client.ts";
import type { Job, Outcome } from "./load.ts";

process.on("message", async (job: Job) => {
  const outcome: Outcome = await perform(job).catch((error: Error) => ({ failure: error.message }));
  process.send?.(outcome);
});

async function perform({ ports, message, status, connections, ms }: Job): Promise<Outcome> {
  const clients = await Promise.all(
    Array.from({ length: connections }, (_, index) => Client.connect(ports[index % ports.length] ?? 0)),
  );
  const start = performance.now();
  const counts = await Promise.all(clients.map((client) => client.repeat(message, status, start + ms)));
  const seconds = (performance.now() - start) / 1000;
  for (const client of clients) client.end();
  const count = counts.reduce((sum, one) => sum + one, 0);
  return { count, rate: count / seconds };
}
