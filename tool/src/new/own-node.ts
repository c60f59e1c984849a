import { nodeMajor } from "./print/package.ts";

/** The machine's own Node, if it is new enough. */
export const ownNode = Number(process.versions.node.split(".")[0]) >= nodeMajor ? "system" : "pinned";
