import * as z from "zod";

/** What a client sends, for the frameworks without their own schemas. */
export const newItem = z.object({ name: z.string().min(1).max(200) });

export const listQuery = z.object({ cursor: z.string().optional() });
