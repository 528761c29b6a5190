#!/usr/bin/env node
import { runCommandLine } from "./run-command-line.js";
import { processTerminal } from "./terminal/terminal.js";

// Warnings of Node and of libraries are for those who write programs, not for those who run this one.
process.removeAllListeners("warning");

process.exitCode = await runCommandLine(process.argv.slice(2), processTerminal());
