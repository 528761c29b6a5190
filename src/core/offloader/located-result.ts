import { isPlainJson } from "../lib/json/plain-json.js";
import type { FormatResult } from "../engine/format.js";
import type { ToolResult } from "../engine/tool-result.js";
import type { ContentMemory, KnownContent } from "./content-memory.js";
import type { ReadingCall } from "./reading-answer.js";

/** A tool result of a history, remembered for as long as its message is the same. */
export class LocatedResult implements ToolResult {
  readonly slot: number;
  readonly id: string | undefined;
  readonly content: FormatResult["content"];
  readonly soleText: string | undefined;
  readonly chars: number;
  readonly isError: boolean;
  offloadFlag: boolean | undefined;
  offloadedBefore = false;
  isReadingAnswer = false;
  /** The reference that is sent in its place, once that is decided. */
  sent: string | undefined;
  readonly #found: FormatResult;
  readonly #memory: ContentMemory;
  #known: KnownContent | undefined;
  #isPlain: boolean | undefined;

  constructor(
    found: FormatResult,
    readonly messageIndex: number,
    readonly toolName: string | undefined,
    memory: ContentMemory,
    /** What the call that it answers reads, if it is a call of a reading tool. */
    readonly reading?: ReadingCall,
    /** What the input of that call says. */
    readonly about?: string,
  ) {
    this.slot = found.slot;
    this.id = found.id;
    this.content = found.content;
    this.soleText = found.soleText;
    this.chars = found.chars;
    this.isError = found.isError;
    this.#found = found;
    this.#memory = memory;
  }

  /** A getter, since some formats compute it only on demand. */
  get wrapping(): unknown {
    return this.#found.wrapping;
  }

  get isPlain(): boolean {
    return (this.#isPlain ??= typeof this.content === "string" || isPlainJson(this.content));
  }

  get tokens(): number {
    return this.known.tokens;
  }

  get known(): KnownContent {
    return (this.#known ??= this.#memory.of(this));
  }
}
