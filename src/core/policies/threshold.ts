import { requireNumber } from "../arguments.js";
import { InvalidEnvironmentError } from "../errors/invalid-environment-error.js";

/** The variables of a process, as `process.env` has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

export interface ThresholdSource {
  /** The name of the option, for errors. */
  readonly option: string;
  readonly given: number | undefined;
  readonly variable: string;
  readonly environment: Environment;
  readonly fallback: number;
}

const PLAIN_NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/**
 * The threshold for this call: the option, else the environment variable, else the default. Only that
 * it is a plain number is checked, not its range; `parseFloat` would read "20%" as 20.
 */
export function readThreshold(source: ThresholdSource): number {
  const { option, given, variable, environment, fallback } = source;
  if (given !== undefined) return requireNumber(option, given);
  const text = environment[variable]?.trim();
  if (!text) return fallback;
  if (!PLAIN_NUMBER.test(text)) {
    throw new InvalidEnvironmentError(variable, text, `a plain number such as ${fallback}`);
  }
  return Number(text);
}
