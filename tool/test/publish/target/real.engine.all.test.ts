import { before, describe } from "node:test";
import { noEngine } from "../support.ts";
import { backendImage, engineWorld, without } from "./engine.ts";
import { targetSuite } from "./suite.ts";

describe("a real engine", { skip: noEngine }, () => {
  let image: string;
  before(async () => {
    image = await backendImage("engine");
  });

  // `docker.engine.test.ts` removes an application from an engine.
  targetSuite("an engine", () => engineWorld(image), without("whole", "removal"), { concurrency: 2 });
});
