/**
 * The server of the plugin for Claude Code. It is not told which session starts it, so it reads the whole
 * workspace of the project.
 */
import { join } from "node:path";
import { createWorkspace } from "context-offload";
import { serveStdio } from "@context-offload/mcp";
import { writeTraceLater } from "./hook/hook-trace.js";
import { processTelemetry } from "./telemetry.js";

const project = process.env["CLAUDE_PROJECT_DIR"] || process.cwd();
const root = join(project, ".offload");
const workspace = createWorkspace({ root, logger: processTelemetry() });
const onToolsListed = (): void => {
  writeTraceLater(root, { event: "tools listed" });
};
serveStdio({ workspace, isReadOnly: true, onToolsListed });
process.stdin.once("close", () => void workspace.close());
