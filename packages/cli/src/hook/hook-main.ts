#!/usr/bin/env node
/**
 * The hook that Claude Code starts after every tool call. It is built into a file of its own that
 * imports nothing but what a small result needs; the engine is loaded for large ones only.
 */
import { answerHook } from "./answer-hook.js";

// Whatever happens, such as a pipe that is closed early: an agent must not stop because of us.
process.on("uncaughtException", () => process.exit(0));

const chunks: Buffer[] = [];
process.stdin.on("data", (chunk: Buffer) => chunks.push(chunk));
process.stdin.on("end", () => {
  void answerHook(Buffer.concat(chunks).toString("utf8"), process.argv.slice(2)).then((answer) => {
    if (answer !== undefined) process.stdout.write(answer);
  });
});
