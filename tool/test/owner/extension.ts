/**
 * What an owner adds to a project, as the framework's documentation says. In every framework:
 *
 * - `GET /names/:name` answers `{"name": <the decoded parameter>}`;
 * - `POST /notes` reads its body in the framework's idiom, with a validator that people use there (`text`: a string of 1 to
 *   50 characters, nothing else), and answers 201 with what it read;
 * - `POST /echo` reads its body without a validator and answers 200 with it;
 * - `GET /forbidden` throws the framework's own error for 403 with the message "not yours";
 * - `GET /gone` throws, or answers with, the framework's own 410;
 * - `GET /broken` throws `new Error("inner secret")`;
 * - `POST /raw` answers `{"sha256": <hex of the raw bytes>}`, also for text/plain;
 * - `POST /large` is given a limit of 1,000,000 bytes and answers `{"bytes": n}`;
 * - `POST /twice` reads the body after other code has read it, without the core, and does not catch the error;
 * - `GET /status` is public: `{"status":"up"}`;
 * - `GET /limited` answers 200 the first two times, then a plugin for rate limits (or, if none is well known, the
 *   framework's own 429) refuses;
 * - a middleware, hook or plugin that people use (helmet, cookies, …) puts some header `x-plugin: <anything>` on answers;
 * - where the framework has its own body reader that can run before ours (`express.json()`, a middleware with
 *   `c.req.text()`), it is there, for some of these routes: for all routes it would read every body, also at paths that
 *   do not exist;
 * - the framework's own shutdown hook prints the line `{"message":"closed"}` to stdout.
 */
export interface Extension {
  /** Files that are added. */
  files: Record<string, string>;
  /** Text that is replaced, by file: each must be found once. */
  edits: Record<string, [from: string, to: string][]>;
}
