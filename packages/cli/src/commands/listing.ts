import type { Command } from "commander";
import { eachArtifact, filterOf } from "../artifacts.js";
import {
  emptyByDefault,
  withWorkspace,
  workspacePlace,
  type WorkspaceFlags,
} from "../open-workspace.js";
import { formatBytes, formatCount, omittable, renderTable } from "../terminal/table.js";
import { printableJson } from "../terminal/printable.js";
import { roomIn, type Terminal } from "../terminal/terminal.js";

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
}

async function list(flags: ListFlags, terminal: Terminal): Promise<void> {
  const rows: string[][] = [];
  const opened = { ...flags, ifMissing: emptyByDefault(flags, terminal) };
  await withWorkspace(opened, terminal, async (workspace) => {
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
        // An id is there to be copied, and so whole.
        ...[{ title: "artifact" }, { title: "session", ifNarrow: "cut" } as const],
        ...[{ title: "tool" }, right("lines"), right("size"), right("tokens")].map(omittable),
        omittable({ title: "stored (UTC)" }),
      ],
      rows,
      roomIn(terminal),
    ),
  );
}
