import { isDeepStrictEqual } from "node:util";
import { CommandError } from "../command-error.js";

/** Where a value is: the keys and indices that lead to it. */
export type SettingsPath = readonly (string | number)[];

export interface Range {
  readonly start: number;
  readonly end: number;
}

/** A piece of text in the place of another one. */
export interface Splice extends Range {
  readonly text: string;
}

/** How settings are written. Each edit is one splice: the rest of the text keeps its every character. */
export interface Syntax {
  readonly name: string;
  /** The data of a text, `undefined` for a text without any; throws for one that is broken. */
  parse(text: string): unknown;
  /** Where the text of a value is; `undefined` if it has none of its own. */
  rangeOf(text: string, path: SettingsPath): Range | undefined;
  /** Adds a property right after another one. */
  insertAfter(text: string, path: SettingsPath, key: string, value: string): Splice | undefined;
  /** Adds a value at the end of the container that is there; an item if the key is -1. */
  append?(text: string, container: SettingsPath, key: string | number, value: unknown): Splice;
  /** Cuts out a property or an item, without the comments around it. */
  cut(text: string, path: SettingsPath): Splice | undefined;
}

/**
 * The text of a settings file. Every edit is proved before it counts: the text is parsed again, and must hold what it
 * held, but for what the edit is about. What cannot be proved is refused.
 */
export class Settings {
  readonly path: string;
  readonly #syntax: Syntax;
  #text: string | undefined;

  /** @param text `undefined` for a file that does not exist. */
  constructor(path: string, syntax: Syntax, text: string | undefined) {
    this.path = path;
    this.#syntax = syntax;
    this.#text = text;
    const data = this.#parse();
    if (data !== undefined && !isRecord(data)) {
      throw this.#refusal(`is not an object of settings, but ${describe(data)}; correct it first`);
    }
  }

  /** `undefined` for a file that does not exist, or that is to go. */
  get text(): string | undefined {
    return this.#text;
  }

  get(path: SettingsPath): unknown {
    return path.reduce<unknown>(stepInto, this.#parse());
  }

  /** The text of a value as it is in the file. */
  textOf(path: SettingsPath): string | undefined {
    const range = this.rangeOf(path);
    return range && this.#text?.slice(range.start, range.end);
  }

  rangeOf(path: SettingsPath): Range | undefined {
    return this.#syntax.rangeOf(this.#text ?? "", path);
  }

  /** Puts a value in the place of another one, or of a part of its text. */
  replace(path: SettingsPath, text: string, value: unknown, part = this.rangeOf(path)): void {
    this.#apply(part && { ...part, text }, (data) => setAt(data, path, value));
  }

  insertAfter(path: SettingsPath, key: string, text: string, value: unknown): void {
    const splice = this.#syntax.insertAfter(this.#text ?? "", path, key, text);
    this.#apply(splice, (data) => setAt(data, [...path.slice(0, -1), key], value));
  }

  /**
   * Adds a property or, for a path that ends with -1, an item at the end; containers that are missing are made, and
   * so is the file.
   *
   * @param valueOf Gets how many were made, which `remove` has to know: the value must hold it.
   */
  insert(path: SettingsPath, valueOf: (made: number) => unknown): void {
    const text = this.#text ?? "";
    const isBlank = this.#parse() === undefined;
    let depth = 0;
    for (; !isBlank && depth < path.length - 1; depth++) {
      const found = this.get(path.slice(0, depth + 1));
      if (found === undefined) break;
      const isList = path[depth + 1] === -1;
      if (isList ? Array.isArray(found) : isRecord(found)) continue;
      const place = JSON.stringify(path.slice(0, depth + 1).join("."));
      const wanted = isList ? "a list" : "an object";
      throw this.#refusal(`${place} is ${describe(found)}, not ${wanted}; correct it first`);
    }
    const made = path.length - 1 - depth + (isBlank ? 1 : 0) + (this.#text === undefined ? 1 : 0);
    const wrap = (inner: unknown, key: string | number | undefined): unknown =>
      key === -1 ? [inner] : { [key ?? ""]: inner };
    const value = path.slice(depth + 1).reduceRight(wrap, valueOf(made));
    const key = path[depth] ?? "";
    if (isBlank) {
      const root = wrap(value, key);
      const start = text.length;
      const lead = text === "" ? "" : eolOf(text);
      const body = JSON.stringify(root, null, 2).replaceAll("\n", eolOf(text)) + eolOf(text);
      this.#apply({ start, end: start, text: lead + body }, () => root);
      return;
    }
    const container = path.slice(0, depth);
    const splice = this.#syntax.append?.(text, container, key, value);
    this.#apply(splice, (data) => {
      const length = (container.reduce<unknown>(stepInto, data) as { length?: number }).length ?? 0;
      return setAt(data, [...container, key === -1 ? length : key], value);
    });
  }

  /**
   * Removes a property or an item, and of the containers around it those that `insert` made and that hold nothing else.
   *
   * @param made What `insert` said.
   * @param companions Properties that were added to a new file along with it.
   */
  remove(path: SettingsPath, made = 0, companions: Readonly<Record<string, unknown>> = {}): void {
    let at = path;
    for (let left = made; left > 0 && at.length > 0; left--) {
      const container = this.get(at.slice(0, -1));
      const isRoot = at.length === 1;
      const others = Object.entries(container as object).filter(
        ([key, value]) =>
          key !== String(at.at(-1)) && !(isRoot && isDeepStrictEqual(companions[key], value)),
      );
      if (others.length > 0) break;
      at = at.slice(0, -1);
    }
    if (at.length > 0) {
      const splice = this.#syntax.cut(this.#text ?? "", at);
      this.#apply(splice, (data) => deleteAt(data, at));
      return;
    }
    const text = this.#text ?? "";
    const { start, end } = this.rangeOf([]) ?? { start: 0, end: 0 };
    const before = /\r?\n$/.exec(text.slice(0, start))?.[0].length ?? 0;
    const after = /^\r?\n/.exec(text.slice(end))?.[0].length ?? 0;
    this.#apply({ start: start - before, end: end + after, text: "" }, () => undefined);
    if (this.#text === "" && made > path.length) this.#text = undefined;
  }

  #parse(text = this.#text): unknown {
    try {
      return text === undefined ? undefined : this.#syntax.parse(text);
    } catch (cause) {
      throw this.#refusal(`is not valid ${this.#syntax.name}; correct it first`, cause);
    }
  }

  #apply(splice: Splice | undefined, change: (data: unknown) => unknown): void {
    const before = this.#text ?? "";
    const after = splice && before.slice(0, splice.start) + splice.text + before.slice(splice.end);
    try {
      // Both sides are parsed for this purpose: what is compared shares nothing with what is written.
      const isProved =
        after !== undefined &&
        isDeepStrictEqual(this.#syntax.parse(after), change(this.#parse(before)));
      if (isProved) {
        this.#text = after;
        return;
      }
    } catch {
      // What does not parse is not proved, either.
    }
    throw this.#refusal(
      "cannot be edited without harm, perhaps since a key is there twice; edit it by hand",
    );
  }

  #refusal(why: string, cause?: unknown): CommandError {
    return new CommandError(`${this.path}: ${why}, nothing was changed`, undefined, { cause });
  }
}

/** The line breaks that a text uses. */
export function eolOf(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  return value === null ? "null" : isRecord(value) ? "an object" : `a ${typeof value}`;
}

function stepInto(value: unknown, key: string | number): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Record<string | number, unknown>)[key];
}

function setAt(data: unknown, path: SettingsPath, value: unknown): unknown {
  const container = path.slice(0, -1).reduce<unknown>(stepInto, data);
  (container as Record<string | number, unknown>)[path.at(-1) ?? ""] = value;
  return data;
}

function deleteAt(data: unknown, path: SettingsPath): unknown {
  const container = path.slice(0, -1).reduce<unknown>(stepInto, data);
  const key = path.at(-1) ?? "";
  if (Array.isArray(container)) container.splice(Number(key), 1);
  else Reflect.deleteProperty(container as object, key);
  return data;
}
