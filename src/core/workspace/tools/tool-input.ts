import { InvalidArgumentError } from "../../errors/argument-errors.js";

/**
 * Reads a tool call's input. Models send numbers as strings and lists as comma-separated strings:
 * what is clear is accepted, anything else is rejected with what is expected.
 */
export class ToolInput {
  readonly #input: Readonly<Record<string, unknown>>;

  constructor(input: unknown, known: readonly string[]) {
    const object =
      typeof input === "object" && input !== null && !Array.isArray(input) ? input : {};
    if (object !== input && input !== undefined && input !== null) {
      throw new InvalidArgumentError("input", input, "an object with the tool's parameters");
    }
    const unknown = Object.keys(object).find((name) => !known.includes(name));
    if (unknown !== undefined) {
      const expected = `one of the parameters ${known.join(", ")}`;
      throw new InvalidArgumentError("parameter", unknown, expected);
    }
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
      throw new InvalidArgumentError(name, value, "a non-empty string");
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
    if (value === undefined) throw new InvalidArgumentError(name, value, "a whole number");
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
    const items: unknown =
      typeof value === "string" ? value.split(",").map((item) => item.trim()) : value;
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
    const value = this.#input[name];
    return value === null || value === "" ? undefined : value;
  }
}
