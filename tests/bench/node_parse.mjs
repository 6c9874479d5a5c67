// The yardstick of `./dev bench`: reads a JSONL file, splits it and runs JSON.parse on each line,
// the fastest way Node has. Prints the milliseconds that took, start-up not counted.
// Usage: node node_parse.mjs FILE
import { readFileSync } from "node:fs";

const begin = performance.now();
const bytes = readFileSync(process.argv[2]);
let records = 0;
for (let from = 0; from < bytes.length; ) {
  let to = bytes.indexOf(10, from);
  if (to < 0) to = bytes.length;
  if (to > from && JSON.parse(bytes.toString("utf8", from, to)) !== null) records++;
  from = to + 1;
}
if (records === 0) throw new Error("no records");
console.log(Math.round(performance.now() - begin));
