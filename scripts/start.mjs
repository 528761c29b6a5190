// `npm start`: runs the command on the sample conversation, or on the arguments that follow `--`.

import { spawnSync } from "node:child_process";
import { fileURLToPath, URL } from "node:url";

const MAIN = fileURLToPath(new URL("../packages/cli/dist/main.js", import.meta.url));
const given = process.argv.slice(2);
// The sample's short form goes where Git does not see it.
const args =
  given.length > 0 ? given : ["examples/conversations/checkout-outage.json", "--out", ".offload"];
const { status } = spawnSync(process.execPath, [MAIN, "run", "--example", ...args], {
  stdio: "inherit",
});
process.exitCode = status ?? 1;
