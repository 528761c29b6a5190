#!/usr/bin/env node
/** What an agent starts each time that it draws its status line: a bundle of its own, which loads little. */
import { statusLine } from "./status-line.js";

const args = process.argv.slice(2);
const valueOf = (...names: readonly string[]): string | undefined => {
  const at = args.findLastIndex((arg) => names.includes(arg));
  return at === -1 ? undefined : args[at + 1];
};
// Agents draw colors, though this is not a terminal.
const red = (text: string): string =>
  process.env["NO_COLOR"] ? text : `\u001b[31m${text}\u001b[39m`;
const chunks: Buffer[] = [];
const end = async (): Promise<void> => {
  const input = Buffer.concat(chunks).toString("utf8");
  const place = {
    ...{ cwd: process.cwd(), env: process.env },
    ...{ root: valueOf("-w", "--workspace"), namespace: valueOf("--namespace") },
  };
  process.stdout.write(`${await statusLine(input, place, red)}\n`);
};
if (process.stdin.isTTY) await end();
else {
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  await end();
}
