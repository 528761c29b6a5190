import type { Command } from "commander";
import type { Terminal } from "../terminal/terminal.js";

export function addReplay(_program: Command, _terminal: Terminal): void {}
