import type { Command } from "commander";
import { CommandError, EXIT, type SetExitCode } from "../command-error.js";
import { withWorkspace, workspacePlace, type WorkspaceFlags } from "../open-workspace.js";
import { countOf, formatBytes, omittable, renderTable } from "../terminal/table.js";
import { inLine, printableJson } from "../terminal/printable.js";
import { roomIn, type Terminal } from "../terminal/terminal.js";
import { parseCount } from "./option-values.js";

interface VerifyFlags extends WorkspaceFlags {
  readonly deleteOrphans?: boolean;
  readonly json?: boolean;
}

export function addVerify(program: Command, terminal: Terminal, setExitCode: SetExitCode): void {
  program
    .command("verify")
    .description("check that everything stored is intact")
    .option(
      "--delete-orphans",
      "delete content that no artifact refers to and that is older than an hour",
    )
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      "\nExits with 0 if all is intact, with 1 if something is damaged or missing.",
    )
    .action(async (_: VerifyFlags, command: Command) => {
      const flags = command.optsWithGlobals<VerifyFlags>();
      const { deleteOrphans = false } = flags;
      const report = await withWorkspace(flags, terminal, (workspace) =>
        workspace.verify({ deleteOrphans, signal: terminal.signal }),
      );
      const broken = [
        ...report.damaged.map(
          ({ sessionId, artifactId, problem }) =>
            `damaged    ${sessionId}/${artifactId}: ${problem}`,
        ),
        ...report.missing.map(
          ({ sessionId, artifactId }) =>
            `missing    ${sessionId}/${artifactId}: its content does not exist`,
        ),
        ...report.unreadable.map(({ folder, problem }) => `unreadable ${folder}: ${problem}`),
      ];
      if (flags.json === true) terminal.print(printableJson(report, 2));
      else {
        for (const line of broken) terminal.print(terminal.colors.red(inLine(line)));
        const held = `${countOf(report.artifacts, "artifact")}, ${formatBytes(report.bytes)}, in ${countOf(report.sessions, "session")}`;
        terminal.print(
          broken.length === 0 ? `${held}: all intact` : `${held}: ${broken.length} not intact`,
        );
        if (report.orphaned.length > 0) {
          const what = deleteOrphans
            ? `${report.deleted.length} deleted`
            : "delete it with --delete-orphans";
          terminal.print(
            `${countOf(report.orphaned.length, "file")} of content that no artifact refers to: ${what}`,
          );
        }
        if (report.brokenLines > 0)
          terminal.print(`${countOf(report.brokenLines, "line")} of manifests cannot be read`);
      }
      if (broken.length > 0) setExitCode(EXIT.no);
    });
}

interface PruneFlags extends WorkspaceFlags {
  readonly session?: string;
  readonly maxAge?: number;
  readonly maxBytes?: number;
  readonly maxArtifacts?: number;
  readonly yes?: boolean;
  readonly force?: boolean;
}

export function addPrune(program: Command, terminal: Terminal): void {
  program
    .command("prune")
    .description("remove the oldest artifacts; a dry run unless --yes is given")
    .option("--max-age <time>", "keep what is younger, such as 30d, 12h, 45m", parseAge)
    .option("--max-bytes <size>", "keep at most this much, such as 500MB, 2GB", parseBytes)
    .option("--max-artifacts <count>", "keep at most this many", parseCount)
    .option("--session <id>", "only this session")
    .option("--force", "also remove what was written in the last hour")
    .option("-y, --yes", "remove it")
    .addHelpText("after", "\nExample: context-offload prune --max-age 30d --yes")
    .action(async (_: PruneFlags, command: Command) => {
      await prune(command.optsWithGlobals(), terminal);
    });
}

async function prune(flags: PruneFlags, terminal: Terminal): Promise<void> {
  const { maxAge, maxBytes, maxArtifacts, session: sessionId, yes = false } = flags;
  if (maxAge === undefined && maxBytes === undefined && maxArtifacts === undefined) {
    throw new CommandError(
      "prune: pass what to keep, with --max-age, --max-bytes or --max-artifacts",
    );
  }
  const { removed } = await withWorkspace(flags, terminal, (workspace) =>
    workspace.prune({
      ...{ maxAgeMs: maxAge, maxBytes, maxArtifacts, sessionId, signal: terminal.signal },
      ...{ dryRun: !yes, ...(flags.force === true ? { minAgeMs: 0 } : {}) },
    }),
  );
  const bytes = removed.reduce((sum, { size }) => sum + size.bytes, 0);
  const place = workspacePlace(flags, terminal);
  if (removed.length === 0) {
    const young = flags.force === true ? "" : "; what was stored in the last hour needs --force";
    terminal.print(`Nothing to remove from ${place}${young}.`);
    return;
  }
  terminal.print(
    renderTable(
      [
        { title: "artifact" },
        { title: "session", ifNarrow: "cut" },
        { title: "size", align: "right" },
        omittable({ title: "stored (UTC)" }),
      ],
      removed.map((record) => [
        record.artifactId,
        record.sessionId,
        formatBytes(record.size.bytes),
        record.createdAt.replace("T", " ").slice(0, 16),
      ]),
      roomIn(terminal),
    ),
  );
  const what = `${countOf(removed.length, "artifact")}, ${formatBytes(bytes)}`;
  terminal.print(
    yes ? `Removed ${what}.` : `Would remove ${what}. Run it again with --yes to do so.`,
  );
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1e3, m: 6e4, h: 36e5, d: 864e5, w: 6048e5 };

function parseAge(text: string): number {
  const [, count, unit = ""] = /^(\d+)([smhdw])$/.exec(text) ?? [];
  const ms = UNIT_MS[unit];
  if (count !== undefined && ms !== undefined) return Number(count) * ms;
  throw new CommandError(`${text}: is not an age; pass one such as 30d, 12h or 45m`);
}

const UNIT_BYTES: Readonly<Record<string, number>> = { "": 1, k: 1e3, m: 1e6, g: 1e9, t: 1e12 };

function parseBytes(text: string): number {
  const [, count, unit = ""] = /^(\d+)\s*([kmgt]?)b?$/i.exec(text) ?? [];
  const bytes = UNIT_BYTES[unit.toLowerCase()];
  if (count !== undefined && bytes !== undefined) return Number(count) * bytes;
  throw new CommandError(`${text}: is not a size; pass one such as 500MB or 2GB`);
}
