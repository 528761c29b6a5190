import {
  type OptionNames,
  requireChoice,
  requireObject,
  rejectMisspelled,
  requireText,
  checkedCounter,
} from "../core/arguments.js";
import { DEFAULTS } from "../core/defaults.js";
import { isFormat, type Format } from "../core/engine/format.js";
import { InvalidArgumentError } from "../core/errors/argument-errors.js";
import { wireOffloader } from "../core/offloader/offloader.js";
import type { Offloader, OffloaderSettings } from "../core/offloader/offloader-types.js";
import { requirePolicy } from "../core/policies/combine.js";
import { freshAndStale } from "../core/policies/fresh-and-stale.js";
import { suggestNames } from "../core/lib/text/nearest-names.js";
import { READING_TOOL_CHOICES } from "../core/workspace/reading/reading.js";
import { coreOf } from "../core/workspace/workspace-core.js";
import type { Workspace } from "../core/workspace/workspace-types.js";
import {
  FORMATS,
  type AnswerOf,
  type FormatChoice,
  type FormatName,
  type ToolsByFormat,
  type ToolsOf,
} from "../formats/formats.js";
import { createWorkspace } from "./create-workspace.js";
import { pickFormat } from "../formats/detect-format.js";

const DEFAULT_POLICY = freshAndStale();

type ChosenTools<Choice> = Choice extends FormatName
  ? ToolsOf<Choice>
  : Choice extends { describeTools(...args: never[]): infer Tools }
    ? Tools
    : unknown;

type ChosenAnswer<Choice> = Choice extends FormatName
  ? AnswerOf<Choice>
  : Choice extends { answerCall(...args: never[]): infer Answer }
    ? Answer
    : unknown;

/** An offloader whose tools and answers are typed by its format. */
export type OffloaderFor<Choice extends FormatChoice> = Offloader<
  ChosenTools<Choice>,
  ChosenAnswer<Choice>,
  ToolsByFormat
>;

/** The options of `createOffloader`: a folder or your own workspace, a format, and settings. */
export interface OffloaderOptions<
  Choice extends FormatChoice = FormatChoice,
> extends OffloaderSettings {
  /** The folder of a workspace with default options; created if it is missing. Default `".offload"`. */
  readonly root?: string | undefined;
  /** Your own workspace from `createWorkspace`, instead of `root`. */
  readonly workspace?: Workspace | undefined;
  /** The format of the messages. Default `"auto"`. */
  readonly format?: Choice | undefined;
}

const OPTIONS: OptionNames<OffloaderOptions> = {
  root: true,
  workspace: true,
  format: true,
  sessionId: true,
  agentId: true,
  taskId: true,
  parentSessionId: true,
  policy: true,
  media: true,
  onError: true,
  shouldOffload: true,
  parts: true,
  readingTools: true,
  countTokens: true,
};

/**
 * Keeps an agent's conversation short: pass it the whole history every turn, and it moves large tool
 * results out and replaces them with short references.
 *
 * @example
 * const offloader = createOffloader({ root: ".offload", sessionId: "s1", format: "anthropic" });
 * const { messages, report } = await offloader.offload(history);
 */
export function createOffloader<const Choice extends FormatChoice = "auto">(
  options: OffloaderOptions<Choice>,
): OffloaderFor<Choice> {
  requireObject("options", options, "an object with sessionId, and root or workspace");
  rejectMisspelled<OffloaderOptions>(options, OPTIONS);
  requireText("sessionId", options.sessionId, "the session that the results belong to");
  requireChoice("media", options.media, ["keep", "offload"]);
  requireChoice("onError", options.onError, ["throw", "keep"]);
  requireChoice("readingTools", options.readingTools, READING_TOOL_CHOICES);
  const format = resolveFormat(options.format);
  const workspace = resolveWorkspace(options);
  return wireOffloader({
    ...options,
    workspace,
    format,
    formats: FORMATS,
    pickFormat,
    policy: options.policy === undefined ? DEFAULT_POLICY : requirePolicy("policy", options.policy),
    countTokens: options.countTokens
      ? checkedCounter(options.countTokens)
      : coreOf(workspace).countTokens,
  }) as OffloaderFor<Choice>;
}

function resolveWorkspace({ root, workspace }: OffloaderOptions): Workspace {
  if (workspace === undefined) return createWorkspace({ root: root ?? DEFAULTS.root });
  if (root !== undefined) {
    throw new InvalidArgumentError("root", root, "omitted when a workspace is given");
  }
  coreOf(workspace);
  return workspace;
}

/** The chosen format; `undefined` to detect it. */
function resolveFormat(choice: FormatChoice | undefined): Format | undefined {
  if (isFormat(choice)) return choice;
  const found = FORMATS.find(({ name }) => name === choice);
  if (found || choice === undefined || choice === "auto") return found;
  const expected = 'the name of a format, "auto" or your own format';
  const names = FORMATS.map(({ name }) => name);
  const hint = typeof choice === "string" ? ` (${suggestNames(choice, names)})` : "";
  throw new InvalidArgumentError("format", choice, `${expected}${hint}`);
}
