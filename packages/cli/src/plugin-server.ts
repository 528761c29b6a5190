/**
 * The server of the plugin for Claude Code. It is not told which session starts it, so it reads the whole
 * workspace of the project.
 */
import { join } from "node:path";
import { createWorkspace } from "context-offload";
import { serveStdio } from "@context-offload/mcp";

const project = process.env["CLAUDE_PROJECT_DIR"] || process.cwd();
const workspace = createWorkspace({ root: join(project, ".offload") });
serveStdio({ workspace, isReadOnly: true });
process.stdin.once("close", () => void workspace.close());
