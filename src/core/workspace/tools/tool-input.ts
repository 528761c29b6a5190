import { parseJson } from "../../lib/json/plain-json.js";
import { InvalidArgumentError } from "../../errors/argument-errors.js";

/**
 * Reads a tool call's input. Models send numbers as strings, lists as comma-separated strings or as
 * JSON, and at times the whole input as JSON: what is clear is accepted, anything else is rejected
 * with what is expected. What the tool does not know is ignored.
 */
export class ToolInput {
  readonly #input: Readonly<Record<string, unknown>>;
  /** Names that were given, but are not parameters of the tool. */
  readonly ignored: readonly string[];

  constructor(given: unknown, known: readonly string[]) {
    const input = typeof given === "string" ? (parseJson(given) ?? given) : given;
    const object =
      typeof input === "object" && input !== null && !Array.isArray(input) ? input : {};
    if (object !== input && input !== undefined && input !== null && input !== "") {
      throw new InvalidArgumentError("input", given, "an object with the tool's parameters");
    }
    this.ignored = Object.keys(object).filter((name) => !known.includes(name));
    this.#input = object as Readonly<Record<string, unknown>>;
  }

  text(name: string): string | undefined {
    const value = this.#get(name);
    if (value === undefined || typeof value === "string") return value;
    if (typeof value === "number") return String(value);
    throw new InvalidArgumentError(name, value, "a string");
  }

  requiredText(name: string): string {
    const value = this.text(name);
    if (value === undefined) {
      throw new InvalidArgumentError(name, this.#own(name), "a non-empty string");
    }
    return value;
  }

  count(name: string): number | undefined {
    const value = this.#get(name);
    if (value === undefined || typeof value === "number") return value;
    if (typeof value === "string" && /^\s*-?\d+\s*$/.test(value)) return Number(value);
    throw new InvalidArgumentError(name, value, "a whole number");
  }

  requiredCount(name: string): number {
    const value = this.count(name);
    if (value === undefined) {
      throw new InvalidArgumentError(name, this.#own(name), "a whole number");
    }
    return value;
  }

  flag(name: string): boolean | undefined {
    const value = this.#get(name);
    if (value === undefined || typeof value === "boolean") return value;
    if (value === "true" || value === "false") return value === "true";
    throw new InvalidArgumentError(name, value, "true or false");
  }

  list(name: string): readonly string[] | undefined {
    const value = this.#get(name);
    if (value === undefined) return undefined;
    const items: unknown = typeof value === "string" ? splitList(value) : value;
    if (Array.isArray(items) && items.every((item) => typeof item === "string" && item !== "")) {
      return items as readonly string[];
    }
    throw new InvalidArgumentError(name, value, "a list of strings");
  }

  choice<T extends string>(name: string, choices: readonly T[]): T | undefined {
    const value = this.#get(name);
    if (value === undefined) return undefined;
    const choice = choices.find((candidate) => candidate === value);
    if (choice !== undefined) return choice;
    throw new InvalidArgumentError(name, value, `one of ${choices.join(", ")}`);
  }

  /** Some models send `null` or an empty string to leave a parameter out. */
  #get(name: string): unknown {
    const value = this.#own(name);
    return value === null || value === "" ? undefined : value;
  }

  #own(name: string): unknown {
    return Object.hasOwn(this.#input, name) ? this.#input[name] : undefined;
  }
}

function splitList(text: string): unknown {
  const parsed = text.trimStart().startsWith("[") ? parseJson(text) : undefined;
  return parsed ?? text.split(",").map((item) => item.trim());
}
