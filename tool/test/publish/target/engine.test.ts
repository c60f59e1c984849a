import { before, describe } from "node:test";
import { later, noEngine } from "../support.ts";
import { backendImage, engineWorld, selectedOnEngine } from "./engine.ts";
import { targetSuite } from "./suite.ts";

describe("a real engine", { skip: noEngine || later }, () => {
  let image: string;
  before(async () => {
    image = await backendImage("engine");
  });

  targetSuite("an engine", () => engineWorld(image), selectedOnEngine, { concurrency: 2 });
});
