import { ContextOffloadError, type ErrorCode } from "../../errors/context-offload-error.js";
import { parametersOf, READING_TOOLS } from "./reading-tools.js";

const UNREADABLE =
  "The stored result cannot be read at the moment, or its content is damaged. Try once more; if that fails too, run the tool again that returned it.";

/** The errors whose messages are for the host: they tell paths, and what the system said. */
const FOR_THE_HOST: Partial<Record<ErrorCode, string>> = {
  READ_FAILED: UNREADABLE,
  WRITE_FAILED: UNREADABLE,
  UNSAFE_PATH: UNREADABLE,
  STORE_UNREACHABLE: UNREADABLE,
  PACKAGE_MISSING: UNREADABLE,
};

/** An error as a model gets it. The host's logger gets the whole message. */
export function explainError(error: unknown): string {
  if (!ContextOffloadError.isInstance(error)) return `FAILED: ${UNREADABLE}`;
  const { code, message } = error;
  // A model left a parameter out; it does not know of undefined.
  const told = message.replace(/, but it is undefined\.$/, ", but it is missing.");
  return `${code}: ${FOR_THE_HOST[code] ?? nameParameters(told)}`;
}

/** Text in quotes, or a name of several words. */
const QUOTED_OR_NAME = /"[^"\\]*(?:\\[^][^"\\]*)*"?|\b[a-z]+[A-Z][A-Za-z]*/g;

/** Errors name the options of the methods; a model knows the parameters of the tools. Values are quoted. */
function nameParameters(message: string): string {
  return message.replace(QUOTED_OR_NAME, (part) =>
    PARAMETERS.has(snakeCase(part)) ? snakeCase(part) : part,
  );
}

const PARAMETERS: ReadonlySet<string> = new Set(Object.values(READING_TOOLS).flatMap(parametersOf));

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
