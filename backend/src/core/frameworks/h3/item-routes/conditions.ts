import type { H3Event } from "h3";
import { readConditions } from "../../../resource.ts";
import { nodeRequest } from "../connect.ts";

/** The conditions of a request for one item. */
export const getConditions = (event: H3Event) => readConditions(nodeRequest(event));
