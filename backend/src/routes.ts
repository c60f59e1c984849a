/** What each route allows: the answer to OPTIONS, and what a 405 tells. No other path answers anything but 404. */
export const routes = {
  "/health": "GET, HEAD, OPTIONS",
  "/items": "GET, HEAD, POST, OPTIONS",
} as const;
