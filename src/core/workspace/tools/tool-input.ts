import { InvalidArgumentError } from "../../errors/invalid-argument-error.js";

/**
 * Reads a tool call's input. Models send numbers as texts and lists as comma-separated ones; what is
 * clear is taken, what is not is refused with what would be right.
 */
export class ToolInput {
  readonly #input: Readonly<Record<string, unknown>>;

  constructor(input: unknown, known: readonly string[]) {
    const object =
      typeof input === "object" && input !== null && !Array.isArray(input) ? input : {};
    if (object !== input && input !== undefined && input !== null) {
      throw new InvalidArgumentError("input", input, "an object with the tool's parameters");
    }
    const stranger = Object.keys(object).find((name) => !known.includes(name));
    if (stranger !== undefined) {
      const expected = `one of the parameters ${known.join(", ")}`;
      throw new InvalidArgumentError("parameter", stranger, expected);
    }
    this.#input = object as Readonly<Record<string, unknown>>;
  }

  text(name: string): string | undefined {
    const value = this.#get(name);
    if (value === undefined || typeof value === "string") return value;
    if (typeof value === "number") return String(value);
    throw new InvalidArgumentError(name, value, "a text");
  }

  requiredText(name: string): string {
    const value = this.text(name);
    if (value === undefined) {
      throw new InvalidArgumentError(name, value, "a text with something in it");
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
    throw new InvalidArgumentError(name, value, "a list of texts");
  }

  choice<T extends string>(name: string, choices: readonly T[]): T | undefined {
    const value = this.#get(name);
    if (value === undefined) return undefined;
    const choice = choices.find((candidate) => candidate === value);
    if (choice !== undefined) return choice;
    throw new InvalidArgumentError(name, value, `one of ${choices.join(", ")}`);
  }

  /** `null` and an empty text are how some models leave a parameter out. */
  #get(name: string): unknown {
    const value = this.#input[name];
    return value === null || value === "" ? undefined : value;
  }
}
