import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { applyEdits, modify, parse, type JSONPath, type ParseError } from "jsonc-parser";
import { CommandError, EXIT } from "../command-error.js";

/** A settings file that people edit by hand: what is not changed keeps its every character, comments included. */
export class JsonFile {
  readonly path: string;
  #text: string;
  readonly #before: string | undefined;

  private constructor(path: string, text: string | undefined) {
    this.path = path;
    this.#before = text;
    this.#text = text ?? "{}\n";
  }

  static async read(path: string): Promise<JsonFile> {
    const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return undefined;
      throw error;
    });
    const errors: ParseError[] = [];
    const value: unknown =
      text === undefined ? {} : parse(text, errors, { allowTrailingComma: true });
    if (errors.length > 0 || typeof value !== "object" || value === null) {
      throw new CommandError(
        `${path}: is not valid JSON; correct it first, nothing was changed`,
        EXIT.usage,
      );
    }
    return new JsonFile(path, text);
  }

  get exists(): boolean {
    return this.#before !== undefined;
  }

  get isChanged(): boolean {
    return this.#text !== (this.#before ?? "{}\n");
  }

  get(path: JSONPath): unknown {
    return path.reduce<unknown>(
      (value, key) => (value as Record<string | number, unknown> | null | undefined)?.[key],
      parse(this.#text, [], { allowTrailingComma: true }),
    );
  }

  /** Sets a value; `undefined` removes it. */
  set(path: JSONPath, value: unknown, isInsertion = false): void {
    const indent = /^([ \t]+)\S/m.exec(this.#text)?.[1] ?? "  ";
    const formattingOptions = {
      insertSpaces: !indent.startsWith("\t"),
      tabSize: indent.length,
      eol: this.#text.includes("\r\n") ? "\r\n" : "\n",
    };
    const edits = modify(this.#text, path, value, {
      formattingOptions,
      isArrayInsertion: isInsertion,
    });
    this.#text = applyEdits(this.#text, edits);
  }

  /** Removes the containers on the way to a value that are empty now. */
  removeEmpty(path: JSONPath): void {
    for (let length = path.length; length > 0; length--) {
      const part = path.slice(0, length);
      const value = this.get(part);
      const isEmpty =
        typeof value === "object" && value !== null && Object.keys(value).length === 0;
      if (!isEmpty) return;
      this.set(part, undefined);
    }
  }

  /** Writes the file as a whole; one that has become empty, and was made by `install`, goes. */
  async save(): Promise<void> {
    if (!this.isChanged) return;
    if (Object.keys(this.get([]) as object).length === 0) {
      await rm(this.path, { force: true });
      return;
    }
    await mkdir(dirname(this.path), { recursive: true });
    const temporary = `${this.path}.${process.pid}.tmp`;
    await writeFile(temporary, this.#text);
    await rename(temporary, this.path);
  }
}
