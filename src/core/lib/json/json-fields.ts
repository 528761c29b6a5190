import { ArgumentError } from "../argument-error.js";
import { quote } from "../text/quote.js";
import type { JsonMember } from "./json-fit.js";
import { isContainer } from "./json-layout.js";
import { locatePath } from "./json-locate.js";
import { EVERY_ITEM } from "./json-path-tracker.js";
import { formatPointer, parsePointer } from "./json-pointer.js";
import type { JsonPiece, RenderContext } from "./json-render.js";

const SHOWN_KEY_CHARS = 80;

/** A field as it was requested, and the paths it may mean, the most likely first. */
export interface JsonField {
  readonly name: string;
  readonly paths: readonly (readonly string[])[];
}

/** A field is a key, a pointer that begins with a slash, or keys joined by dots. */
export function parseFields(fields: readonly string[]): JsonField[] {
  return fields.map((name, index) => {
    const argument = `fields[${index}]`;
    if (name.startsWith("/")) return { name, paths: [parsePointer(name, argument)] };
    const isPath = /[.[]/.test(name);
    return { name, paths: isPath ? [[name], parsePointer(name, argument)] : [[name]] };
  });
}

/** Picks fields from values, and remembers which were found and which keys exist instead. */
export class FieldPicker {
  readonly #context: RenderContext;
  readonly #fields: readonly JsonField[];
  readonly #found = new Set<JsonField>();
  readonly #keysInstead = new Map<JsonField, readonly string[]>();

  constructor(context: RenderContext, fields: readonly JsonField[]) {
    this.#context = context;
    this.#fields = fields;
  }

  /** The fields that the value has, in the requested order. */
  async pick(piece: JsonPiece): Promise<JsonMember[]> {
    const members: JsonMember[] = [];
    for (const field of this.#fields) {
      const member = await this.#pickOne(piece, field);
      if (member !== undefined) members.push(member);
    }
    return members;
  }

  /** Rejects a field that neither the picked values nor, if given, any item of the array has. */
  async requireFound(place: string, array?: JsonPiece, isSequence = false): Promise<void> {
    for (const [index, field] of this.#fields.entries()) {
      if (this.#found.has(field)) continue;
      if (array !== undefined && (await this.#isInAnyItem(array, field, isSequence))) continue;
      const keys = this.#keysInstead.get(field);
      const expected =
        keys === undefined || keys.length === 0
          ? `left out: at ${place} there are no objects with keys`
          : `a key that exists at ${place} (${keys.map((key) => quote(key, SHOWN_KEY_CHARS)).join(", ")})`;
      throw new ArgumentError(`fields[${index}]`, field.name, expected);
    }
  }

  async #pickOne(piece: JsonPiece, field: JsonField): Promise<JsonMember | undefined> {
    if (!isContainer(piece.kind)) return undefined;
    const { source, signal } = this.#context;
    for (const path of field.paths) {
      const located = await locatePath(source, path, { signal, range: piece });
      if (!located.found) {
        if (located.keys !== undefined && !this.#keysInstead.has(field)) {
          this.#keysInstead.set(field, located.keys);
        }
        continue;
      }
      this.#found.add(field);
      const { start, end, kind } = located;
      const tokens = piece.tokens === undefined ? undefined : [...piece.tokens, ...path];
      return { label: `${JSON.stringify(field.name)}: `, piece: { start, end, kind, tokens } };
    }
    return undefined;
  }

  async #isInAnyItem(array: JsonPiece, field: JsonField, isSequence: boolean): Promise<boolean> {
    const { source, signal } = this.#context;
    for (const path of field.paths) {
      const options = { signal, isSequence, range: array };
      const located = await locatePath(source, [EVERY_ITEM, ...path], options);
      if (located.found) return true;
    }
    return false;
  }
}

/** A place for an error message. */
export function describePlace(tokens: readonly string[]): string {
  return tokens.length === 0 ? "the top" : quote(formatPointer(tokens));
}
