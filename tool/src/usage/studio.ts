import type { Usage } from "../flags.ts";

/** How `dory studio` is called. */
export const studioUsage = {
  command: "studio",
  summary: "choose, run, check and publish on a page",
  call: "[FOLDER]",
  atMost: 1,
  flags: {
    port: { type: "string", value: "N", help: "where it listens (default: 4600, or the next free port)" },
    open: { type: "boolean", default: true, help: "print the address, do not open a browser" },
    public: {
      type: "boolean",
      default: false,
      help: "a generator for everyone: choosing, files, comparing and downloading only, on HOST and PORT",
    },
  },
  notes: [
    `  FOLDER is where projects are made, by default this one. In a project's folder, the page shows that project and changes it.
  The printed address works once, in one browser of this machine; what runs goes on when the page is closed.
  With --public, HOST (default: 127.0.0.1), PORT and RATE_LIMIT, the requests a minute of one address (default: 6000),
  are environment variables.`,
  ],
} as const satisfies Usage;
