/** The kind that content was recognized as. It decides what the digest shows. */
export type ContentKind =
  | "json"
  | "log"
  | "build"
  | "table"
  | "files"
  | "matches"
  | "diff"
  | "code"
  | "markdown"
  | "html"
  | "text";

/** Content, or its start and end when it is too large for a string. */
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
  /** Safe to print: no control characters except newline and tab. Markup is not escaped. */
  readonly text: string;
}

/** What a digest may take from the conversation that the content is part of. */
export interface DigestHints {
  /** What the call was for: the call itself, and what was written before it. Lines that share a rare word with it are quoted. */
  readonly about?: string | undefined;
}

/** How long a digest may be, and what it should show first. */
export interface DigestOptions extends DigestHints {
  /** Maximum length of the digest. */
  readonly budgetChars: number;
}
