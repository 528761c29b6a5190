import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type {
  PostToolUseHookInput,
  PostToolUseHookSpecificOutput,
} from "@anthropic-ai/claude-agent-sdk";
import type * as Tools from "@anthropic-ai/claude-agent-sdk/sdk-tools";
import { afterAll, describe, expect, it } from "vitest";

/** The bundled hook, as Claude Code starts it. */
const HOOK = fileURLToPath(new URL("../../packages/cli/dist/hook.js", import.meta.url));
/** So long that it is offloaded when it arrives. */
const TEXT = "a line of a long result\n".repeat(1_500);
const folder = mkdtempSync(join(tmpdir(), "hook-events-"));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const usage = {
  ...{ input_tokens: 1, output_tokens: 1, cache_creation_input_tokens: 0 },
  ...{ cache_read_input_tokens: 0, server_tool_use: null, service_tier: null },
  cache_creation: null,
};
const option = { label: "a", description: TEXT };

/** What each built-in tool may return at length, by its type; the compiler misses none of them. */
interface Outputs {
  Bash: Tools.BashOutput;
  Read: Tools.FileReadOutput;
  Glob: Tools.GlobOutput;
  Grep: Tools.GrepOutput;
  WebFetch: Tools.WebFetchOutput;
  WebSearch: Tools.WebSearchOutput;
  ReadMcpResourceTool: Tools.ReadMcpResourceOutput;
  RemoteTrigger: Tools.RemoteTriggerOutput;
  ClaudeDesign: Tools.ClaudeDesignOutput;
  mcp__x__y: Tools.McpOutput;
}
interface KeptOutputs {
  Agent: Tools.AgentOutput;
  ExitPlanMode: Tools.ExitPlanModeOutput;
  Edit: Tools.FileEditOutput;
  Write: Tools.FileWriteOutput;
  TaskStop: Tools.TaskStopOutput;
  ListMcpResourcesTool: Tools.ListMcpResourcesOutput;
  RefreshMcpTools: Tools.RefreshMcpToolsOutput;
  NotebookEdit: Tools.NotebookEditOutput;
  ReadMcpResourceDir: Tools.ReadMcpResourceDirOutput;
  ReportFindings: Tools.ReportFindingsOutput;
  TodoWrite: Tools.TodoWriteOutput;
  AskUserQuestion: Tools.AskUserQuestionOutput;
  SendFeedback: Tools.SendFeedbackOutput;
  EnterWorktree: Tools.EnterWorktreeOutput;
  ExitWorktree: Tools.ExitWorktreeOutput;
  TaskCreate: Tools.TaskCreateOutput;
  TaskGet: Tools.TaskGetOutput;
  TaskUpdate: Tools.TaskUpdateOutput;
  TaskList: Tools.TaskListOutput;
  Artifact: Tools.ArtifactOutput;
  ShowOnboardingRolePicker: Tools.ShowOnboardingRolePickerOutput;
  OfferChromeSetup: Tools.OfferChromeSetupOutput;
  ReadNotifications: Tools.ReadNotificationsOutput;
  ScheduleWakeup: Tools.ScheduleWakeupOutput;
  Monitor: Tools.MonitorOutput;
  ProposeSkills: Tools.ProposeSkillsOutput;
  ProposeGoal: Tools.ProposeGoalOutput;
  EnterPlanMode: Tools.EnterPlanModeOutput;
  Workflow: Tools.WorkflowOutput;
  CronCreate: Tools.CronCreateOutput;
  CronDelete: Tools.CronDeleteOutput;
  CronList: Tools.CronListOutput;
  PushNotification: Tools.PushNotificationOutput;
  Projects: Tools.ProjectsOutput;
}
type Missing = Exclude<
  Tools.ToolOutputSchemas,
  Outputs[keyof Outputs] | KeptOutputs[keyof KeptOutputs]
>;
const missing: Missing[] = [];

const OFFLOADED: Outputs = {
  Bash: { stdout: TEXT, stderr: "", interrupted: false },
  Read: {
    type: "text",
    file: { filePath: "/a", content: TEXT, numLines: 300, startLine: 1, totalLines: 300 },
  },
  Glob: {
    ...{ durationMs: 1, numFiles: 2_000, truncated: false },
    filenames: Array.from({ length: 2_000 }, (_, at) => `/project/src/file-${at}.ts`),
  },
  Grep: { mode: "content", numFiles: 0, filenames: [], content: TEXT },
  WebFetch: { bytes: 1, code: 200, codeText: "OK", result: TEXT, durationMs: 1, url: "https://a" },
  WebSearch: { query: "q", results: [TEXT], durationSeconds: 1 },
  ReadMcpResourceTool: { contents: [{ uri: "a:1", text: TEXT }] },
  RemoteTrigger: { status: 200, json: TEXT },
  ClaudeDesign: { operation: "o", content: [{ type: "text", text: TEXT }] },
  mcp__x__y: [{ type: "text", text: TEXT }],
};
const todos: Tools.TodoWriteOutput["newTodos"] = [
  { content: TEXT, status: "pending", activeForm: "a" },
];
const KEPT: KeptOutputs = {
  Agent: {
    ...{ status: "completed", agentId: "a", prompt: "p", totalToolUseCount: 1, totalTokens: 1 },
    ...{ totalDurationMs: 1, usage, content: [{ type: "text", text: TEXT }] },
  },
  ExitPlanMode: { plan: TEXT, isAgent: false },
  Edit: {
    ...{ filePath: "/a", oldString: "a", newString: "b", originalFile: TEXT, structuredPatch: [] },
    ...{ userModified: false, replaceAll: false },
  },
  Write: { type: "create", filePath: "/a", content: TEXT, structuredPatch: [], originalFile: null },
  TaskStop: { message: TEXT, task_id: "t", task_type: "bash" },
  ListMcpResourcesTool: [{ uri: "a:1", name: TEXT, server: "s" }],
  RefreshMcpTools: [{ server: "s", status: "refreshed", added: [TEXT] }],
  NotebookEdit: {
    ...{ new_source: TEXT, cell_type: "code", language: "python", edit_mode: "insert" },
    ...{ notebook_path: "/a", original_file: TEXT, updated_file: TEXT },
  },
  ReadMcpResourceDir: { resources: [{ uri: "a:1", name: TEXT }] },
  ReportFindings: { count: 1, findings: [{ file: "/a", summary: TEXT, failure_scenario: "f" }] },
  TodoWrite: { oldTodos: todos, newTodos: todos },
  AskUserQuestion: {
    questions: [{ question: "q", header: "h", options: [option, option], multiSelect: false }],
    answers: { q: TEXT },
  },
  SendFeedback: { success: true, message: TEXT },
  EnterWorktree: { worktreePath: "/w", message: TEXT },
  ExitWorktree: { action: "keep", originalCwd: "/a", worktreePath: "/w", message: TEXT },
  TaskCreate: { task: { id: "1", subject: TEXT } },
  TaskGet: {
    task: {
      ...{ id: "1", subject: "s", description: TEXT, status: "pending", blocks: [] },
      blockedBy: [],
    },
  },
  TaskUpdate: { success: true, taskId: "1", updatedFields: [TEXT] },
  TaskList: { tasks: [{ id: "1", subject: TEXT, status: "pending", blockedBy: [] }] },
  Artifact: { url: "https://a", path: "/a", title: TEXT },
  ShowOnboardingRolePicker: { role: TEXT },
  OfferChromeSetup: { outcome: "not_now" },
  ReadNotifications: {
    notifications: [{ notification_id: "n", origin: "o", queued_at: "t", content: TEXT }],
    remaining: 0,
  },
  ScheduleWakeup: { scheduledFor: 1, clampedDelaySeconds: 1, wasClamped: false },
  Monitor: { taskId: "t", timeoutMs: 1 },
  ProposeSkills: { proposalCount: 1 },
  ProposeGoal: { condition: TEXT, askUser: true },
  EnterPlanMode: { message: TEXT },
  Workflow: { status: "async_launched", taskId: "t", summary: TEXT },
  CronCreate: { id: "c", humanSchedule: TEXT, recurring: true },
  CronDelete: { id: "c" },
  CronList: { jobs: [{ id: "c", cron: "* * * * *", humanSchedule: "h", prompt: TEXT }] },
  PushNotification: { message: TEXT },
  Projects: { method: "project_read", path: "/a", content: TEXT, created_at: null },
};

function answerTo(tool_name: string, tool_response: unknown): string {
  const event: PostToolUseHookInput = {
    ...{ hook_event_name: "PostToolUse", session_id: "s", transcript_path: "/t.jsonl" },
    ...{ cwd: folder, tool_name, tool_input: {}, tool_response, tool_use_id: `toolu_${tool_name}` },
  };
  const { status, stdout, stderr } = spawnSync(process.execPath, [HOOK], {
    ...{ input: JSON.stringify(event), encoding: "utf8", env: { PATH: process.env["PATH"] } },
  });
  expect([status, stderr]).toEqual([0, ""]);
  return stdout;
}

describe("the hook answers events of every built-in tool", () => {
  it("knows all types of outputs", () => {
    expect(missing).toEqual([]);
  });

  it.each(Object.entries(OFFLOADED))("%s: with a reference, in its own shape", (name, response) => {
    const { hookSpecificOutput } = JSON.parse(answerTo(name, response)) as {
      hookSpecificOutput: PostToolUseHookSpecificOutput;
    };
    expect(hookSpecificOutput.hookEventName).toBe("PostToolUse");
    const updated = hookSpecificOutput.updatedToolOutput;
    expect(JSON.stringify(updated)).toContain("<knowledge_list>");
    expect(JSON.stringify(updated).length).toBeLessThan(JSON.stringify(response).length);
    // A file becomes a notebook of one cell, whose lines Claude Code does not number.
    if (name === "Read") expect(updated).toMatchObject({ type: "notebook", file: { cells: [{}] } });
    else expect(shapeOf(updated)).toEqual(shapeOf(response));
  });

  it.each(Object.entries(KEPT))("%s: lets it through", (name, response) => {
    expect(answerTo(name, response)).toBe("");
  });
});

/** The types of all values by their keys; of an array, that of its first item. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return [shapeOf(value[0])];
  if (typeof value !== "object" || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shapeOf(item)]));
}
