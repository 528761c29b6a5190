#!/usr/bin/env node
// Warnings of Node and of libraries are for those who write programs, not for those who run this one.
process.removeAllListeners("warning");

if (process.argv[2] === "status-line" && !process.argv.includes("--help")) {
  // It is drawn many times a minute, and needs nothing of what the other commands load.
  await import(new URL("./status-line.js", import.meta.url).href);
} else {
  const { runCommandLine } = await import("./run-command-line.js");
  const { processTerminal } = await import("./terminal/terminal.js");
  process.exitCode = await runCommandLine(process.argv.slice(2), processTerminal());
}
