import { fieldExamples } from "./field.ts";
import { databases, features, frameworks } from "./request.ts";

/** What fits on a screen. */
export const help = `dory: a small JSON API backend in the web framework you choose

  dory new NAME --framework F [options]            make a backend
  dory check URL [--fields-from FILE] [--json]     hold a running one against the contract
                                                   (FILE: its dory.json or openapi.json;
                                                   its tokens are read from API_TOKENS)

  --framework F   ${frameworks.join(", ")}
  --field FIELD   a field of an item; may be repeated (default: name:string(1..200)):
                    ${fieldExamples.slice(0, 4).join("  ")}
                    ${fieldExamples.slice(4).join("  ")}
                  a question mark at the end makes it optional
  --database D    ${databases.join(", ")} (default: both, chosen at run time by DATABASE_URL)
  --with FEATURE  ${features.join(", ")}; may be repeated, or parted by commas (default: none):
                  auth is bearer tokens from API_TOKENS, cors lets in front ends from CORS_ORIGINS
  --yes           take the defaults, ask nothing
  --no-install    do not run npm install
  --no-git        do not make a git repository
  --dry-run       list the files, write nothing
  --start         run the backend when it is made
  --json          print one JSON result; without NAME, read the request as JSON from stdin
  --help          this text

npx dory runs it without installing anything; npm create dory NAME -- [options] is npx dory new.
`;
