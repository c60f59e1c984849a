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
 * - `POST /twice` reads the body after other code has read it, without the core, and answers with what it gets;
 * - `GET /patient` has a timeout of 10 seconds for its handler, answers after 1.2 seconds, and sets an empty
 *   `Cache-Control`;
 * - `GET /events` sends five server-sent events, one every 300 ms, in the framework's way;
 * - `GET /status` is public: `{"status":"up"}`;
 * - `GET /limited` answers 200 the first two times, then a plugin for rate limits (or, if none is well known, the
 *   framework's own 429) refuses;
 * - a middleware, hook or plugin that people use (helmet, cookies, …) puts some header `x-plugin: <anything>` on answers;
 * - where the framework has its own body reader that can run before ours (`express.json()`, a middleware with
 *   `c.req.text()`), it is there, for some of these routes: for all routes it would read every body, also at paths that
 *   do not exist;
 * - every method of `/any` answers 200 and `{"reached":"any"}`;
 * - `GET /doors/open` is public, and added before `GET /doors/:name`, which is not; both answer `{"door": <name>}`;
 * - `GET /rooms/:room` is public, `GET /rooms/vault` is not and is added before it; both answer `{"room": <name>}`;
 * - `GET /halls/**` (any path below) is public and answers `{"hall": true}`; code that is no route (middleware, a hook, a
 *   mounted app) answers every other method at `/halls/staff` with `{"staff": true}`;
 * - where something can change the path of a request before it is routed, it changes `/halls/back` to `/names/back`;
 * - where something can change the method of a request before it is routed, the header `X-Changed-Method` does;
 * - where the routes of an app that is mounted above a public route are known, `GET /halls/desk` and `GET /halls/office` are
 *   such routes, not public, and answer `{"desk": true}` and `{"office": true}`;
 * - where a handler can pass a request on, `GET /gates/:gate` is public and does so, to `GET /gates/open`, which is public,
 *   to `GET /gates/closed`, which is not, and to code at `/gates/mounted` that is no route; they answer
 *   `{"gate": <name>}`;
 * - `GET /lobby/a` is public because of what was declared for its router, plugin, group or controller;
 * - the framework's own shutdown hook prints the line `{"message":"closed"}` to stdout.
 */
export interface Extension {
  /** Files that are added. */
  files: Record<string, string>;
  /** Text that is replaced, by file: each must be found once. */
  edits: Record<string, [from: string, to: string][]>;
}
