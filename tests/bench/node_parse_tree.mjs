// The yardstick of a replay: JSON.parse of every recording in a tree, line by line or, for a .json
// file, as a whole. Prints the milliseconds of processor time that took, start-up not
// counted, and the bytes.
// Usage: node node_parse_tree.mjs FOLDER
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const begin = process.cpuUsage();
let bytes = 0;
for (const name of readdirSync(process.argv[2], { recursive: true })) {
  if (!/\.jsonl?$/.test(name)) continue;
  const text = readFileSync(join(process.argv[2], name), "utf8");
  bytes += text.length;
  if (name.endsWith(".json")) {
    JSON.parse(text);
    continue;
  }
  for (const line of text.split("\n")) {
    if (line === "") continue;
    try {
      JSON.parse(line);
    } catch {
      // a torn or welded line: perilune has to say so, Node has nothing to do
    }
  }
}
const { user, system } = process.cpuUsage(begin);
console.log(`${((user + system) / 1000).toFixed(1)} ${bytes}`);
