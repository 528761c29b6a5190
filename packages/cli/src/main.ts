#!/usr/bin/env node
// Warnings of Node and of libraries are for those who write programs, not for those who run this one.
process.removeAllListeners("warning");

const MIN_NODE = 20;

if (Number.parseInt(process.versions.node) < MIN_NODE) {
  // Before anything is loaded, which may not even be parsed there.
  process.stderr.write(
    `context-offload: needs Node ${MIN_NODE} or later, but this is Node ${process.versions.node}; update Node and run it again\n`,
  );
  process.exitCode = 3;
} else if (process.argv[2] === "status-line" && !process.argv.includes("--help")) {
  // It is drawn many times a minute, and needs nothing of what the other commands load.
  await import(new URL("./status-line.js", import.meta.url).href);
} else {
  const { runCommandLine } = await import("./run-command-line.js");
  const { processTerminal } = await import("./terminal/terminal.js");
  process.exitCode = await runCommandLine(process.argv.slice(2), processTerminal());
}
