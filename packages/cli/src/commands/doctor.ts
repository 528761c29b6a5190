import { access, constants, rm, stat, statfs, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { readLedger } from "context-offload/ledger";
import { isSwitchedOff } from "@context-offload/mcp/off-switch";
import { eachArtifact } from "../artifacts.js";
import { EXIT, explainError, type SetExitCode } from "../command-error.js";
import { checkAgents } from "../doctor/check-agents.js";
import type { Finding } from "../doctor/finding.js";
import { readHookLog } from "../hook/hook-log.js";
import {
  withWorkspace,
  workspaceFolder,
  workspacePlace,
  type WorkspaceFlags,
} from "../open-workspace.js";
import { countOf, formatBytes } from "../terminal/table.js";
import { printableJson } from "../terminal/printable.js";
import { say, type Terminal } from "../terminal/terminal.js";
import { findEvidence } from "../savings/find-evidence.js";
import { whyNothing } from "../savings/why-nothing.js";
import { contextOf } from "./install.js";

const MIN_NODE = 20;
const MIN_FREE_BYTES = 100_000_000;
const RECENT_MS = 7 * 86_400_000;

export function addDoctor(program: Command, terminal: Terminal, setExitCode: SetExitCode): void {
  program
    .command("doctor")
    .description(
      "check Node, workspace, disk space, hooks and servers, make a reference and read it, and say what to do",
    )
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      "\nExits with 0 unless something is broken; what is not set up is a hint.",
    )
    .action(async (_: WorkspaceFlags, command: Command) => {
      const flags = command.optsWithGlobals<WorkspaceFlags & { readonly json?: boolean }>();
      const findings = [
        checkNode(),
        ...(await checkFolder(flags, terminal)),
        ...(await checkContent(flags, terminal)),
        ...(await checkLedger(flags, terminal)),
        ...(await checkAgents((scope) =>
          contextOf(terminal, { user: scope === "user", tools: true }),
        )),
      ];
      if (flags.json === true) terminal.print(printableJson(findings, 2));
      else for (const finding of findings) printFinding(finding, terminal);
      if (findings.some(({ state }) => state === "broken")) setExitCode(EXIT.no);
    });
}

const MARK_COLUMNS = 8;

function printFinding({ state, text }: Finding, terminal: Terminal): void {
  const { colors } = terminal;
  const mark = {
    ok: colors.green("ok"),
    hint: colors.yellow("hint"),
    broken: colors.red("broken"),
  };
  const blanks = " ".repeat(MARK_COLUMNS - state.length);
  say(mark[state] + blanks + text, terminal, MARK_COLUMNS);
}

function checkNode(): Finding {
  const { node } = process.versions;
  return Number.parseInt(node) >= MIN_NODE
    ? { state: "ok", text: `Node ${node}` }
    : { state: "broken", text: `Node ${node}: install Node ${MIN_NODE} or later` };
}

async function checkFolder(flags: WorkspaceFlags, terminal: Terminal): Promise<Finding[]> {
  const folder = workspaceFolder(flags, terminal);
  if (folder === undefined) return [];
  const findings: Finding[] = [];
  const probe = join(folder, `.probe-${process.pid}`);
  const isThere = existsSync(folder);
  try {
    if (isThere) {
      if (!(await stat(folder)).isDirectory()) {
        return [{ state: "broken", text: `${folder}: is a file; name a folder with --workspace` }];
      }
      await writeFile(probe, "", { flag: "wx" });
      await rm(probe);
    } else await access(join(folder, ".."), constants.W_OK);
    findings.push({
      state: isThere ? "ok" : "hint",
      text: isThere
        ? `workspace ${folder}: can be written`
        : `workspace ${folder}: is made with the first result`,
    });
  } catch (error) {
    findings.push({ state: "broken", text: `workspace ${folder}: ${explainError(error).text}` });
  }
  if (await isSwitchedOff(folder, terminal.env)) {
    findings.push({
      state: "hint",
      text: "switched off: nothing is offloaded; context-offload on",
    });
  }
  if (isThere) {
    const { bavail, bsize } = await statfs(folder);
    const free = bavail * bsize;
    const isShort = free < MIN_FREE_BYTES;
    const advice = isShort ? "; make room, or remove old artifacts with prune" : "";
    findings.push({
      state: isShort ? "hint" : "ok",
      text: `disk: ${formatBytes(free)} free${advice}`,
    });
    const log = readHookLog(folder);
    const last = log.trimEnd().split("\n").at(-1);
    if (last) findings.push({ state: "hint", text: `the hook let a result through: ${last}` });
  }
  return findings;
}

/** Sessions in which nothing is offloaded, and why. */
async function checkLedger(flags: WorkspaceFlags, terminal: Terminal): Promise<Finding[]> {
  const folder = workspaceFolder(flags, terminal);
  if (folder !== undefined && !existsSync(folder)) return [];
  try {
    const report = await withWorkspace({ ...flags, ifMissing: "as empty" }, terminal, readLedger);
    const evidence = findEvidence(report, flags, terminal, (scope) =>
      contextOf(terminal, { user: scope === "user", tools: true }),
    );
    return whyNothing(evidence).map((text) => ({ state: "hint", text }));
  } catch {
    // What is wrong with the workspace has been said.
    return [];
  }
}

async function checkContent(flags: WorkspaceFlags, terminal: Terminal): Promise<Finding[]> {
  const folder = workspaceFolder(flags, terminal);
  if (folder !== undefined && !existsSync(folder)) return [];
  const place = workspacePlace(flags, terminal);
  try {
    let artifacts = 0;
    let bytes = 0;
    let last = "";
    await withWorkspace({ ...flags, ifMissing: "as empty" }, terminal, async (workspace) => {
      for await (const { size, createdAt } of eachArtifact(workspace, terminal)) {
        artifacts++;
        bytes += size.bytes;
        if (createdAt > last) last = createdAt;
      }
    });
    if (artifacts === 0) {
      return [
        {
          state: "hint",
          text: `${place}: nothing was offloaded yet; try context-offload run on a conversation`,
        },
      ];
    }
    const isRecent = Date.now() - Date.parse(last) < RECENT_MS;
    const held = `${countOf(artifacts, "artifact")}, ${formatBytes(bytes)}; the last was stored at ${last.slice(0, 16)} UTC`;
    return [
      {
        state: isRecent ? "ok" : "hint",
        text: `${place}: ${held}${isRecent ? "" : ", more than a week ago: is the hook still set up?"}`,
      },
    ];
  } catch (error) {
    return [{ state: "broken", text: `${place}: ${explainError(error).text}` }];
  }
}
