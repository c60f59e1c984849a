import { help, readOptions, UsageError } from "./options.ts";
import { jsonReport, tableReport } from "./report.ts";
import { run } from "./run.ts";

try {
  const options = readOptions(process.argv.slice(2));
  if (options.help) console.log(help);
  else if (options.json) console.log(jsonReport(options, await run(options)));
  else console.log(tableReport(options, await run(options)));
} catch (error) {
  console.error(error instanceof UsageError ? error.message : error);
  process.exit(1);
}
