import { before, describe } from "node:test";
import { later } from "../../../../backend/test/support/matrix.ts";
import { noEngine } from "../support.ts";
import { backendImage, engineWorld, without } from "./engine.ts";
import { targetSuite } from "./suite.ts";

describe("a real engine", { skip: noEngine || later }, () => {
  let image: string;
  before(async () => {
    image = await backendImage("engine");
  });

  // `docker.test.ts` removes an application from an engine.
  targetSuite("an engine", () => engineWorld(image), without("whole", "removal"), { concurrency: 2 });
});
