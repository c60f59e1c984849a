/** Where a server has to listen. */
export const port = Number(process.env["PORT"]);
export const host = process.env["HOST"] ?? "127.0.0.1";
