import type { H3Event } from "h3";
import { readCreation } from "../../resource.ts";
import { nodeRequest } from "./body.ts";

/** The options of a creation, from its headers. */
export const getCreation = (event: H3Event) => readCreation(nodeRequest(event));
