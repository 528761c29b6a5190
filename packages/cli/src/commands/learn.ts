import { stat } from "node:fs/promises";
import type { RecordedConversation } from "@context-offload/replay";
import type { Command } from "commander";
import { CommandError } from "../command-error.js";
import { findInputs } from "../conversations/conversation-files.js";
import { AGENT_NAMES, findSessions, type SessionSource } from "../replay/find-sessions.js";
import { learnSettings, type Learned } from "../replay/learn-settings.js";
import { countOf, formatCount, renderTable } from "../terminal/table.js";
import { inLine, printableJson } from "../terminal/printable.js";
import type { Terminal } from "../terminal/terminal.js";
import { findSetUps, installLine, type SetUp } from "../install/find-set-ups.js";
import { contextOf } from "./install.js";
import { parseCount } from "./option-values.js";

interface LearnFlags {
  readonly client?: string;
  readonly sessions: number;
  readonly json?: boolean;
}

/** What `install` calls the agents whose sessions are found. */
const CLIENT_OF: Readonly<Record<string, string>> = {
  "Claude Code": "claude-code",
  Codex: "codex",
  "Gemini CLI": "gemini",
  OpenCode: "opencode",
  "Copilot CLI": "copilot",
};
/** Its plugin has no threshold. */
const WITHOUT_THRESHOLD = ["opencode"];

export function addLearn(program: Command, terminal: Terminal): void {
  program
    .command("learn")
    .description(
      "find settings for install in your recorded sessions; nothing leaves this computer",
    )
    .argument("[conversation...]", `files or folders; default: the sessions of ${AGENT_NAMES}`)
    .option("--client <name>", "for files: the client that the settings are for", "claude-code")
    .option(
      "--sessions <count>",
      "look at this many sessions of each agent, the last ones",
      parseCount,
      100,
    )
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      `
Recorded sessions are sent again on paper, as with replay: with every tool, without each, and with other thresholds.
A setting is proposed if it saves half a percent of the bill or more, a tool if it had three large results.`,
    )
    .action(async (paths: string[], flags: LearnFlags) => {
      await learn(paths, flags, terminal);
    });
}

interface LearnedSource extends Learned {
  readonly name: string;
  readonly client: string;
  /** What sets it up, wherever it is set up now; none if the defaults are as good. */
  readonly commands: readonly string[];
}

async function learn(
  paths: readonly string[],
  flags: LearnFlags,
  terminal: Terminal,
): Promise<void> {
  const { readSession } = await import("@context-offload/replay");
  const sources = paths.length === 0 ? await findSessions(terminal) : await named(paths, terminal);
  const learned: LearnedSource[] = [];
  const setUps = await findSetUps((scope) =>
    contextOf(terminal, { user: scope === "user", tools: true }),
  );
  for (const source of sources) {
    const conversations: RecordedConversation[] = [];
    for (const path of (await byAge(source.paths)).slice(-flags.sessions)) {
      terminal.signal.throwIfAborted();
      const session = await readSession(path).catch(() => undefined);
      conversations.push(...(session?.conversations ?? []));
    }
    if (conversations.length === 0) continue;
    const found = await learnSettings(conversations, terminal, (done, of) => {
      terminal.progress(`${source.name}: ${done} of ${of} settings`);
    });
    const client = CLIENT_OF[source.name] ?? flags.client ?? "claude-code";
    learned.push({
      name: source.name,
      client,
      ...found,
      commands: commandsFor(client, found, setUps),
    });
  }
  terminal.progress("");
  if (learned.length === 0) {
    throw new CommandError("learn: no recorded session was found that can be read; name files");
  }
  if (flags.json === true) terminal.print(printableJson({ sources: learned }, 2));
  else terminal.print(learned.map((one) => describe(one, terminal)).join("\n\n"));
}

/** The oldest first. */
async function byAge(paths: readonly string[]): Promise<string[]> {
  const ages = await Promise.all(
    paths.map(async (path) => ({
      path,
      at: (await stat(path).catch(() => undefined))?.mtimeMs ?? 0,
    })),
  );
  return ages.sort((one, other) => one.at - other.at).map(({ path }) => path);
}

async function named(paths: readonly string[], terminal: Terminal): Promise<SessionSource[]> {
  const inputs = await findInputs(paths, terminal);
  return [{ name: paths.join(", "), paths: inputs.flatMap(({ path }) => path ?? []) }];
}

/** As it is set up now, but for what was learned: an install replaces an earlier one. */
function commandsFor(
  client: string,
  { exclude, minTokens }: Learned,
  setUps: readonly SetUp[],
): string[] {
  const hasThreshold = minTokens !== undefined && !WITHOUT_THRESHOLD.includes(client);
  if (exclude.length === 0 && !hasThreshold) return [];
  const own = setUps.filter((setUp) => setUp.client === client);
  const learned = { exclude, minTokens: hasThreshold ? minTokens : undefined };
  return (own.length === 0 ? [{ client, flags: [] }] : own).map((setUp) =>
    installLine(setUp, learned),
  );
}

function describe(source: LearnedSource, { colors }: Terminal): string {
  const { name, conversations, large, tools, price, commands } = source;
  const right = (title: string) => ({ title, align: "right" as const });
  const saving = (cost: number) =>
    cost > price.without
      ? `cost ${share(2 * price.without - cost)} more than the cost`
      : `saved ${share(cost)} of the cost`;
  const share = (cost: number) =>
    price.without === 0
      ? "0 %"
      : `${((100 * (price.without - cost)) / price.without).toFixed(1)} %`;
  const table = renderTable(
    [{ title: "tool" }, right("large results"), right("saves"), { title: "verdict" }],
    tools.map(({ toolName, results, saved, verdict }) => [
      toolName,
      formatCount(results),
      formatCount(Math.round(saved)),
      verdict === "exclude" ? colors.red("exclude it") : verdict,
    ]),
  );
  return [
    `${inLine(name)}: ${countOf(conversations, "session")}, ${formatCount(large)} with large results`,
    ...(tools.length === 0 ? [] : [table]),
    `As it is set up by default, it would have ${saving(price.defaults)} of these sessions` +
      (commands.length === 0
        ? "; no other setting is better."
        : `; with these settings, it would have ${saving(price.learned)}:`),
    ...commands.map((command) => `  ${inLine(command)}`),
  ].join("\n");
}
