import { findClaudeServer } from "./claude-code.js";
import { type InstallContext, parseMark } from "./client.js";
import { CLIENTS } from "./clients.js";
import { isRecord, Settings } from "./settings.js";
import { SettingsFile } from "./settings-file.js";

/** How `install` set a client up. */
export interface SetUp {
  readonly client: string;
  /** What else it was told. */
  readonly flags: readonly string[];
  readonly exclude: readonly string[];
  readonly minTokens: number | undefined;
}

/** The clients that are set up now, in this project and for the user. */
export async function findSetUps(
  contextOf: (scope: InstallContext["scope"]) => InstallContext,
): Promise<SetUp[]> {
  const found: SetUp[] = [];
  const seen = new Set<string>();
  for (const client of CLIENTS) {
    for (const scope of ["project", "user"] as const) {
      // Settings that cannot be read are the business of `doctor`.
      try {
        const context = contextOf(scope);
        const words: string[] = [];
        let isSetUp = false;
        for (const { path, syntax, inspect } of await client.edits(context)) {
          // Some clients have settings of the user only.
          if (seen.has(`${client.name} ${path}`)) continue;
          seen.add(`${client.name} ${path}`);
          const settings = new Settings(path, syntax, (await SettingsFile.read(path)).text);
          isSetUp ||= inspect(settings).length > 0;
          words.push(...ownWords(settings.get([])));
        }
        if (!isSetUp) continue;
        const isBare = client.name === "claude-code" && !findClaudeServer(context);
        const flags = [...(scope === "user" ? ["--user"] : []), ...(isBare ? ["--no-tools"] : [])];
        const valueOf = (flag: string) =>
          words.includes(flag) ? words[words.indexOf(flag) + 1] : undefined;
        const minTokens = valueOf("--min-tokens");
        found.push({
          ...{ client: client.name, flags },
          exclude: (valueOf("--exclude") ?? "").split(",").filter(Boolean),
          minTokens: minTokens === undefined ? undefined : Number(minTokens),
        });
      } catch {
        continue;
      }
    }
  }
  return found;
}

/** The words of everything in settings that bears our mark, in a list or in a command line. */
function ownWords(data: unknown): string[] {
  if (typeof data === "string") {
    const words = [...data.matchAll(/"((?:[^"\\]|\\.)*)"|\S+/g)];
    return marked(words.map(([word, quoted]) => quoted?.replaceAll('\\"', '"') ?? word));
  }
  if (!Array.isArray(data)) return isRecord(data) ? Object.values(data).flatMap(ownWords) : [];
  const [plugin, options] = data as unknown[];
  if (typeof plugin === "string" && isRecord(options) && Array.isArray(options["excludeTools"])) {
    return ["--exclude", options["excludeTools"].join(",")];
  }
  const words = data.every((word) => typeof word === "string") ? marked(data) : [];
  return words.length > 0 ? words : data.flatMap(ownWords);
}

function marked(words: readonly string[]): string[] {
  const at = words.findIndex((word, index) => parseMark(word, words[index + 1]) !== undefined);
  return words.slice(0, Math.max(0, at));
}

/** The command that sets it up again, with these settings. */
export function installLine(
  { client, flags }: Pick<SetUp, "client" | "flags">,
  { exclude, minTokens }: Pick<SetUp, "exclude" | "minTokens">,
): string {
  return [
    ...["context-offload", "install", client, ...flags],
    ...(exclude.length === 0 ? [] : ["--exclude", shellWord(exclude.join(","))]),
    ...(minTokens === undefined ? [] : ["--min-tokens", String(minTokens)]),
  ].join(" ");
}

/** A word as a shell takes it: names come from tools, and must not run anything where they are pasted. */
export function shellWord(word: string): string {
  return /^[\w,./:-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
