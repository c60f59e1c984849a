import { github } from "../../backend/kit/suite/webhooks/senders/github.ts";
import { compareRates } from "../exchange.ts";
import { createPost, type Request, unique } from "../load.ts";
import type { Measure } from "../measure.ts";

/** Events that are acknowledged and handled, compared with created items, on databases that start empty. */
export const webhook: Measure = {
  name: "webhook",
  title: "a webhook, to POST /items",
  unit: "requests/s",
  goal: () => ({ atLeast: 0.8 }),
  take: (setting) => {
    const { bundles, data } = setting;
    const item = createPost("/items", JSON.stringify({ name: "Item number 00000000" }));
    return compareRates(
      setting,
      { bundle: bundles.backend, env: data.createEmpty("webhooks.db"), request: createDelivery() },
      { bundle: bundles.backend, env: data.createEmpty("items.db"), request: item },
    );
  },
};

/** GitHub signs only the body, so that a new id makes it a new event. */
function createDelivery(): Request {
  const { body } = github.sample();
  const signed = github.sign({ headers: {}, body }, github.fakes[0], 0);
  const headers = { ...signed, "X-GitHub-Event": "ping", "X-GitHub-Delivery": unique };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const { message } = createPost("/webhooks/github", body);
  return { message: message.replace("\r\n\r\n", () => `\r\n${lines.join("\r\n")}\r\n\r\n`), status: 202 };
}
