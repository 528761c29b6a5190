import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import {
  findNodeAtLocation,
  getNodeValue,
  parseTree,
  type JSONPath,
  type Node,
  type ParseError,
} from "jsonc-parser";
import { CommandError, EXIT } from "../command-error.js";

const OPTIONS = { allowTrailingComma: true };

/**
 * A settings file that people edit by hand. Values are inserted into its text and cut out of it again, so that
 * everything else keeps its every character, comments included, and what `remove` leaves is what `insert` found.
 */
export class JsonFile {
  readonly path: string;
  #text: string;
  readonly #before: string | undefined;

  private constructor(path: string, text: string | undefined) {
    this.path = path;
    this.#before = text;
    this.#text = text ?? "";
  }

  static async read(path: string): Promise<JsonFile> {
    const text = await readFile(path, "utf8").catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    });
    const errors: ParseError[] = [];
    const root = text === undefined ? undefined : parseTree(text, errors, OPTIONS);
    if (text !== undefined && (errors.length > 0 || root?.type !== "object")) {
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

  get(path: JSONPath): unknown {
    const node = this.#find(path);
    return node && (getNodeValue(node) as unknown);
  }

  /** Adds a property or, for a path that ends with -1, an item at the end; containers on the way are made. */
  insert(path: JSONPath, value: unknown): void {
    const key = path.at(-1) ?? "";
    const inside = path.slice(0, -1);
    const container = this.#find(inside);
    if (!container) {
      const made = key === -1 ? [value] : { [key]: value };
      if (inside.length > 0) this.insert(inside, made);
      // Everything that is made has line breaks around it: `remove` knows it by them.
      else this.#text = `${JSON.stringify(made, null, 2)}\n`;
      return;
    }
    const last = container.children?.at(-1);
    const indent = this.#indentAt((last ?? container).offset) + (last ? "" : "  ");
    const name = key === -1 ? "" : `${JSON.stringify(key)}: `;
    const body = JSON.stringify(value, null, 2).replaceAll("\n", `\n${indent}`);
    // In an empty container, right after its bracket: it stays when the value goes.
    if (last) this.#splice(endOf(last), 0, `,\n${indent}${name}${body}`);
    else this.#splice(container.offset + 1, 0, name + body);
  }

  /** Cuts out a property or an item, and the containers around it that `insert` had made for it. */
  remove(path: JSONPath): void {
    const value = this.#find(path);
    if (!value?.parent) return;
    const node = value.parent.type === "property" ? value.parent : value;
    const siblings = node.parent?.children ?? [];
    const at = siblings.indexOf(node);
    const [before, after] = [siblings[at - 1], siblings[at + 1]];
    const container = node.parent as Node;
    if (before) this.#splice(endOf(before), endOf(node) - endOf(before), "");
    else if (after) this.#splice(node.offset, after.offset - node.offset, "");
    else if (/\n/.test(this.#text.slice(container.offset + 1, node.offset))) {
      if (path.length > 1) this.remove(path.slice(0, -1));
      else this.#text = "";
    } else this.#splice(node.offset, node.length, "");
  }

  /** Writes a value over another one. */
  replace(path: JSONPath, value: unknown): void {
    const node = this.#find(path);
    if (node) this.#splice(node.offset, node.length, JSON.stringify(value));
  }

  /** The text of a value as it stands in the file. */
  textOf(path: JSONPath): string | undefined {
    const node = this.#find(path);
    return node && this.#text.slice(node.offset, endOf(node));
  }

  /** Writes another text over that of a value. */
  replaceText(path: JSONPath, text: string): void {
    const node = this.#find(path);
    if (node) this.#splice(node.offset, node.length, text);
  }

  /** Adds a text right after a value. */
  insertAfter(path: JSONPath, text: string): void {
    const node = this.#find(path);
    if (node) this.#splice(endOf(node), 0, text);
  }

  /** Writes the file as a whole; one that `install` had made, and that holds nothing more, goes. */
  async save(): Promise<void> {
    if (this.#text === (this.#before ?? "")) return;
    if (this.#text === "") {
      await rm(this.path, { force: true });
      return;
    }
    await mkdir(dirname(this.path), { recursive: true });
    const temporary = `${this.path}.${process.pid}.tmp`;
    await writeFile(temporary, this.#text);
    await rename(temporary, this.path);
  }

  #find(path: JSONPath): Node | undefined {
    const root = parseTree(this.#text, [], OPTIONS);
    return root && (path.length === 0 ? root : findNodeAtLocation(root, path));
  }

  #splice(at: number, length: number, text: string): void {
    const eol = this.#text.includes("\r\n") ? "\r\n" : "\n";
    this.#text =
      this.#text.slice(0, at) + text.replaceAll("\n", eol) + this.#text.slice(at + length);
  }

  /** The blanks before the line of an offset. */
  #indentAt(offset: number): string {
    const start = this.#text.lastIndexOf("\n", offset - 1) + 1;
    return /^[ \t]*/.exec(this.#text.slice(start))?.[0] ?? "";
  }
}

function endOf({ offset, length }: Node): number {
  return offset + length;
}
