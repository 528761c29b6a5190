import { CommandError, EXIT } from "../command-error.js";
import type { Client, EditNote, Found, InstallContext, SettingsEdit } from "./client.js";
import { Settings } from "./settings.js";
import { SettingsFile } from "./settings-file.js";

/** What was done to a file, or why nothing was. */
export interface InstallStep extends EditNote {
  readonly path: string;
}

interface Draft {
  readonly file: SettingsFile;
  readonly text: string | undefined;
  readonly steps: InstallStep[];
}

/** Sets a client up, as if for the first time: what an earlier call added goes first. All files change, or none. */
export async function install(client: Client, context: InstallContext): Promise<InstallStep[]> {
  return writeAll(await client.edits(context), ({ path, syntax, add, remove }, text) => {
    const settings = new Settings(path, syntax, text);
    remove(settings);
    const clean = settings.text;
    const notes = add(settings);
    // What could not be undone is not done.
    const undone = new Settings(path, syntax, settings.text);
    remove(undone);
    if (undone.text !== clean) {
      const why = "could not be brought back to the byte; edit it by hand, nothing was changed";
      throw new CommandError(`${path}: ${why}`, EXIT.usage);
    }
    return { text: settings.text, notes };
  });
}

/** Removes what `install` added. */
export async function uninstall(client: Client, context: InstallContext): Promise<InstallStep[]> {
  return writeAll(await client.edits(context), ({ path, syntax, remove }, text) => {
    const settings = new Settings(path, syntax, text);
    const notes = remove(settings).map((what) => ({ what, isChange: true }));
    return { text: settings.text, notes };
  });
}

/** What is set up now. */
export async function inspect(
  client: Client,
  context: InstallContext,
): Promise<(Found & { readonly path: string })[]> {
  const all = [];
  for (const { path, syntax, inspect: look } of await client.edits(context)) {
    const { text } = await SettingsFile.read(path);
    const found = look(new Settings(path, syntax, text));
    all.push(...found.map((one) => ({ path, ...one })));
  }
  return all;
}

async function writeAll(
  edits: readonly SettingsEdit[],
  change: (
    edit: SettingsEdit,
    text: string | undefined,
  ) => { readonly text: string | undefined; readonly notes: readonly EditNote[] },
): Promise<InstallStep[]> {
  const drafts: Draft[] = [];
  for (const edit of edits) {
    const file = await SettingsFile.read(edit.path);
    const { text, notes } = change(edit, file.text);
    const isSame = !file.differs(text);
    const steps = notes.map(({ what, isChange }) => ({
      path: edit.path,
      what: isChange && isSame ? "is set up already" : what,
      isChange: isChange && !isSame,
    }));
    drafts.push({ file, text, steps });
  }
  const written: Draft[] = [];
  try {
    for (const draft of drafts) {
      if (!draft.file.differs(draft.text)) continue;
      await draft.file.write(draft.text);
      written.push(draft);
    }
  } catch (error) {
    for (const { file, text } of written.reverse()) await file.undo(text);
    throw error;
  }
  return drafts.flatMap(({ steps }) => steps);
}
