/** The modules of `bench/replay`, which the build bundles into one file beside the command. */

export interface Item {
  readonly role: "user" | "assistant" | "result";
  readonly text: string;
}

export interface Conversation {
  readonly name: string;
  readonly items: readonly Item[];
}

export interface Outcome {
  readonly turns: number;
  readonly requests: number;
  readonly tokens: number;
  /** In tokens at the full price. */
  readonly price: number;
  readonly readBacks: number;
  readonly readTokens: number;
  readonly readTurns: number;
  readonly needed: number;
  readonly lost: number;
}

export interface Settings {
  readonly readPrice: number;
  readonly writePrice: number;
  readonly systemTokens: number;
  readonly coldAfterMs?: number | undefined;
}

export interface SourceFigures {
  readonly name: string;
  readonly files: number;
  readonly unread: number;
  readonly refused: number;
  readonly conversations: number;
  readonly largeResults: number;
  readonly outcomes: Readonly<Record<string, Outcome>>;
}

export interface System {
  readonly name: string;
}

export interface Report {
  readonly systems: readonly unknown[];
}

export const DEFAULT_SETTINGS: Settings;
export const everything: System;
export function ours(options: { readonly name: string }): System;
export function readSession(path: string): Promise<Conversation[] | undefined>;
export function addOutcomes(sum: Outcome | undefined, outcome: Outcome): Outcome;
export function replayConversation(
  conversation: Conversation,
  system: System,
  folder: string,
  options: {
    readonly countTokens: (text: string) => number;
    readonly prices: {
      readonly read: number;
      readonly write: number;
      readonly coldAfterMs?: number;
    };
    readonly systemTokens: number;
    readonly facts: { readonly strict: boolean };
    readonly reader: "search" | "page";
  },
): Promise<Outcome>;
export function createReport(
  sources: readonly SourceFigures[],
  systems: readonly string[],
  settings: Settings,
): Report;
export function renderPicture(report: Report): string;
