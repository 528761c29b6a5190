import { ContextOffloadError } from "context-offload";

/** What a script can tell apart: see the help. */
export const EXIT = {
  done: 0,
  /** `grep` found nothing, `verify` or `doctor` found something that is broken. */
  no: 1,
  /** The call or its input is wrong: an unknown option, no such file, no conversation. */
  usage: 2,
  /** Reading or writing failed: a disk, a database, a server. */
  failed: 3,
} as const;

/** Called by a command that ends with another code than 0. */
export type SetExitCode = (code: number) => void;

/** Something that the person at the terminal can act upon: one sentence, and the next step. */
export class CommandError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number = EXIT.usage, options?: ErrorOptions) {
    super(message, options);
    this.name = "CommandError";
    this.exitCode = exitCode;
  }
}

/** A file that is intact, and not a conversation. */
export class NotConversationError extends CommandError {
  override readonly name = "NotConversationError";
}

/** A file that is empty, not text, or broken somewhere. */
export class BrokenFileError extends CommandError {
  override readonly name = "BrokenFileError";
}

const USAGE_CODES =
  /^(?:INVALID_|UNKNOWN_|AMBIGUOUS_|OUT_OF_RANGE|NOT_JSON|POINTER_|NO_TOOL_RESULT|ARTIFACT_GONE)/;

/** What to print for an error, and with which code to exit. */
export function explainError(error: unknown): { readonly text: string; readonly exitCode: number } {
  if (error instanceof CommandError) return { text: error.message, exitCode: error.exitCode };
  if (ContextOffloadError.isInstance(error)) {
    const exitCode = USAGE_CODES.test(error.code) ? EXIT.usage : EXIT.failed;
    // Here, both are options of the command.
    const text = firstLine(error.message)
      .replace("Pass the sessionId of the one you mean", "Name the one you mean with --session")
      .replace(
        /escape what is to be found as it is, as in \S+?\.$/,
        "pass -F to search for plain text.",
      );
    return { text, exitCode };
  }
  const { code, path, syscall } = error as NodeJS.ErrnoException;
  if (typeof code === "string" && typeof syscall === "string") {
    return { text: `${path ?? syscall}: ${systemMessage(code)}`, exitCode: EXIT.failed };
  }
  const text = error instanceof Error ? error.message : String(error);
  return { text: firstLine(text), exitCode: EXIT.failed };
}

const MESSAGES: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file or folder; check the path",
  EACCES: "permission denied; check who may read and write it",
  EPERM: "the operation is not permitted; check who may read and write it",
  EEXIST: "is a file, not a folder; name another place",
  EISDIR: "is a folder, not a file",
  ENOTDIR: "a part of the path is a file, not a folder; name another place",
  ENOSPC: "the disk is full; make room, or name another place with --workspace or --out",
  EROFS: "the disk is read-only; name another place with --workspace or --out",
  EMFILE: "too many files are open; try again",
};

function systemMessage(code: string): string {
  return MESSAGES[code] ?? `failed with ${code}`;
}

/** Never a stack trace. */
function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}
