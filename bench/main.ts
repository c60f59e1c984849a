import { help, readOptions, UsageError } from "./options.ts";
import { measurePreviews, printPreviews } from "./previews.ts";
import { printJson, printTable } from "./report.ts";
import { run } from "./run.ts";
import { printScale, printScaleJson } from "./scale/report.ts";
import { runScale } from "./scale/run.ts";

try {
  const options = readOptions(process.argv.slice(2));
  if (options.help) console.log(help);
  else if (options.scale) console.log((options.json ? printScaleJson : printScale)(await runScale(options)));
  else if (options.previews)
    console.log((options.json ? JSON.stringify : printPreviews)(await measurePreviews(options)));
  else if (options.json) console.log(printJson(options, await run(options)));
  else console.log(printTable(options, await run(options)));
} catch (error) {
  console.error(error instanceof UsageError ? error.message : error);
  process.exit(1);
}
