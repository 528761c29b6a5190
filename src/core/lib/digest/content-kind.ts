/** What content was taken for. It decides what its digest shows. */
export type ContentKind = "json" | "log" | "table" | "code" | "markdown" | "html" | "text";

/** Content, or the two ends of it when it is too large to be held as a string. */
export interface ContentSample {
  /** The whole text when `complete`, otherwise its first part. */
  readonly head: string;
  /** The last part when not complete, otherwise "". */
  readonly tail: string;
  /** 1-based number of the line on which `tail` starts. */
  readonly tailLine: number;
  readonly chars: number;
  readonly lines: number;
  readonly complete: boolean;
}

/** A short description of content, made without a model. */
export interface Digest {
  readonly kind: ContentKind;
  /** Safe to print: no control characters besides newline and tab. Markup is not escaped. */
  readonly text: string;
}

export interface DigestOptions {
  /** The digest is never longer than this. */
  readonly budgetChars: number;
}
