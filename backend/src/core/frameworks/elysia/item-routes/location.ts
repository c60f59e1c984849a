import { type Context, ElysiaCustomStatusResponse } from "elysia";
import { headersOfNew } from "../../../features/item-routes/etag.ts";
import { JsonText } from "../request.ts";

type Answered = Pick<Context, "path" | "set"> & { responseValue?: unknown };

/** Adds `Location` and `ETag` to the answer of a route that creates an item: `{ afterHandle: addLocation }`. */
export function addLocation({ path, set, responseValue }: Answered): void {
  if (!(responseValue instanceof ElysiaCustomStatusResponse)) return;
  const item: unknown = responseValue.response;
  const { Location, ETag } = headersOfNew(path, item instanceof JsonText ? item.text : (item as string));
  set.headers.location = Location;
  set.headers.etag = ETag;
}
