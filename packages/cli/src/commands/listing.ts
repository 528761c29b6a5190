import type { Command } from "commander";
import { eachArtifact, filterOf } from "../artifacts.js";
import { withWorkspace, workspacePlace, type WorkspaceFlags } from "../open-workspace.js";
import { countOf, formatBytes, formatCount, renderBar, renderTable } from "../terminal/table.js";
import { inLine, printableJson } from "../terminal/printable.js";
import type { Terminal } from "../terminal/terminal.js";

interface ListFlags extends WorkspaceFlags {
  readonly session?: string;
  readonly tool?: string;
  readonly json?: boolean;
}

export function addListing(program: Command, terminal: Terminal): void {
  program
    .command("list")
    .description("list what was offloaded")
    .option("--session <id>", "only this session")
    .option("--tool <name>", "only results of this tool")
    .option("--json", "print one JSON object per line")
    .action(async (_: ListFlags, command: Command) => {
      await list(command.optsWithGlobals(), terminal);
    });
  program
    .command("stats")
    .description("show what the workspace holds, per session and tool")
    .option("--session <id>", "only this session")
    .option("--json", "print JSON")
    .action(async (_: ListFlags, command: Command) => {
      await showStats(command.optsWithGlobals(), terminal);
    });
}

async function list(flags: ListFlags, terminal: Terminal): Promise<void> {
  const rows: string[][] = [];
  await withWorkspace(flags, terminal, async (workspace) => {
    for await (const record of eachArtifact(workspace, terminal, filterOf(flags))) {
      const { artifactId, sessionId, size, createdAt, metadata } = record;
      if (flags.json === true) {
        terminal.print(printableJson({ artifactId, sessionId, ...size, createdAt, metadata }));
        continue;
      }
      rows.push([
        artifactId,
        sessionId,
        metadata.tool_name ?? "",
        formatCount(size.lines),
        formatBytes(size.bytes),
        formatCount(size.tokens),
        createdAt.replace("T", " ").slice(0, 16),
      ]);
    }
  });
  if (flags.json === true) return;
  if (rows.length === 0) {
    const place = workspacePlace(flags, terminal);
    const isAll = flags.session === undefined && flags.tool === undefined;
    terminal.print(
      isAll
        ? `Nothing was offloaded to ${place} yet.`
        : `Nothing in ${place} is of this session or tool; list without --session and --tool shows all.`,
    );
    return;
  }
  const right = (title: string) => ({ title, align: "right" as const });
  terminal.print(
    renderTable(
      [
        ...[{ title: "artifact" }, { title: "session" }, { title: "tool" }],
        ...[right("lines"), right("size"), right("tokens"), { title: "stored (UTC)" }],
      ],
      rows,
    ),
  );
}

interface Sum {
  artifacts: number;
  bytes: number;
  tokens: number;
}

async function showStats(flags: ListFlags, terminal: Terminal): Promise<void> {
  const sessions = new Map<string, Sum>();
  const tools = new Map<string, Sum>();
  const total: Sum = { artifacts: 0, bytes: 0, tokens: 0 };
  await withWorkspace(flags, terminal, async (workspace) => {
    for await (const record of eachArtifact(workspace, terminal, filterOf(flags))) {
      const { bytes, tokens } = record.size;
      const rows = [
        rowOf(sessions, record.sessionId),
        rowOf(tools, record.metadata.tool_name ?? "(unknown)"),
      ];
      for (const row of [...rows, total]) {
        row.artifacts++;
        row.bytes += bytes;
        row.tokens += tokens;
      }
    }
  });
  if (flags.json === true) {
    const asObject = (rows: ReadonlyMap<string, Sum>) => Object.fromEntries(rows);
    terminal.print(
      printableJson({ total, sessions: asObject(sessions), tools: asObject(tools) }, 2),
    );
    return;
  }
  const place = workspacePlace(flags, terminal);
  const held = `${countOf(total.artifacts, "artifact")}, ${formatBytes(total.bytes)}, ${formatCount(total.tokens)} tokens`;
  terminal.print(`${terminal.colors.bold(inLine(place))}  ${held}`);
  if (total.artifacts === 0) return;
  terminal.print(
    `\n${renderSums("session", sessions, terminal)}\n\n${renderSums("tool", tools, terminal)}`,
  );
}

function rowOf(rows: Map<string, Sum>, name: string): Sum {
  const row = rows.get(name) ?? { artifacts: 0, bytes: 0, tokens: 0 };
  rows.set(name, row);
  return row;
}

function renderSums(title: string, rows: ReadonlyMap<string, Sum>, { colors }: Terminal): string {
  const max = Math.max(...[...rows.values()].map(({ tokens }) => tokens));
  const sorted = [...rows].sort(([, a], [, b]) => b.tokens - a.tokens);
  return renderTable(
    [
      { title },
      ...["artifacts", "size", "tokens"].map((name) => ({ title: name, align: "right" as const })),
      { title: "" },
    ],
    sorted.map(([name, { artifacts, bytes, tokens }]) => [
      name,
      formatCount(artifacts),
      formatBytes(bytes),
      formatCount(tokens),
      colors.green(renderBar(tokens / max)),
    ]),
  );
}
