import { memoryWorld } from "./memory.ts";
import { targetSuite } from "./suite.ts";

targetSuite("a target that switches", () => memoryWorld({ isSwitching: true }));
targetSuite("a target that replaces", () => memoryWorld({ isSwitching: false }));
