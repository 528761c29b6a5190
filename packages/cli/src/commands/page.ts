import { mkdir, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { Command } from "commander";
import { CommandError } from "../command-error.js";
import {
  emptyByDefault,
  withWorkspace,
  workspacePlace,
  type WorkspaceFlags,
} from "../open-workspace.js";
import { inLine } from "../terminal/printable.js";
import { renderBar } from "../terminal/table.js";
import type { Terminal } from "../terminal/terminal.js";
import { aborted, parsePort } from "./option-values.js";

interface PageFlags extends WorkspaceFlags {
  readonly session?: string;
  readonly recorded?: string;
  readonly port?: number;
  readonly export?: string;
  readonly withContent?: boolean;
}

export function addPage(program: Command, terminal: Terminal): void {
  program
    .command("page")
    .description("show in the browser what offloading brought, and every stored result")
    .option("--session <id>", "only this session")
    .option("--recorded <file>", "the recorded conversation; default: found by the session's id")
    .option(
      "--port <number>",
      "the port to listen on, on this computer alone; default: a free one",
      parsePort,
    )
    .option("--export <file>", "write the page to one file instead")
    .option("--with-content", "with --export: also the stored text of every result")
    .addHelpText(
      "after",
      `
The page is served to this computer alone, at an address with a secret in it, and asks for nothing elsewhere.

Examples:
  context-offload page
  context-offload page --export saved.html`,
    )
    .action(async (_: PageFlags, command: Command) => {
      await showPage(command.optsWithGlobals<PageFlags>(), terminal);
    });
}

async function showPage(flags: PageFlags, terminal: Terminal): Promise<void> {
  // Loaded here: no other command needs it.
  const { PageData } = await import("../page/page-data.js");
  const { Recordings } = await import("../page/recorded-strip.js");
  if (flags.withContent === true && flags.export === undefined) {
    throw new CommandError("page: --with-content needs --export <file>");
  }
  const recordings = new Recordings(terminal, flags.recorded);
  await recordings.requireNamed();
  const opened = { ...flags, ifMissing: emptyByDefault(flags, terminal) };
  await withWorkspace(opened, terminal, async (workspace) => {
    const data = new PageData({
      ...{ workspace, recordings, sessionId: flags.session, signal: terminal.signal },
      place: workspacePlace(flags, terminal),
    });
    if (flags.export !== undefined) {
      await exportPage(data, flags.export, flags.withContent === true);
      return;
    }
    const { servePage } = await import("../page/page-server.js");
    const server = await servePage(data, { port: flags.port, signal: terminal.signal });
    terminal.print(server.url);
    terminal.note("context-offload: open this address in your browser; press Ctrl-C to end");
    await aborted(terminal.signal);
    await server.close();
  });

  async function exportPage(
    data: InstanceType<typeof PageData>,
    file: string,
    withContent: boolean,
  ): Promise<void> {
    const { renderExport } = await import("../page/page-file.js");
    const html = await renderExport(data, {
      withContent,
      onProgress(done, of) {
        terminal.progress(`${renderBar(done / of).padEnd(20)} ${done} of ${of}`);
      },
    });
    terminal.progress("");
    const path = resolve(terminal.cwd, file);
    await mkdir(dirname(path), { recursive: true });
    // It quotes what was stored.
    await writeFile(path, html, { mode: 0o600 });
    terminal.note(`wrote ${inLine(file)}${withContent ? ", with the stored text" : ""}`);
  }
}
