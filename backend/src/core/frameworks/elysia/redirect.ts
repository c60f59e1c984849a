/** Elysia's `redirect()` calls this. Node refuses a relative target, other runtimes do not. */
const { redirect } = Response;
Response.redirect = (url, status = 302) =>
  URL.canParse(url) ? redirect(url, status) : new Response(null, { status, headers: { Location: String(url) } });
