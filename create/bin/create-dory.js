#!/usr/bin/env node
process.argv.splice(2, 0, "new");
await import("dory/bin/dory.js");
