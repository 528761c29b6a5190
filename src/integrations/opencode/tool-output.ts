import { readFile } from "node:fs/promises";

/** What a tool of OpenCode returned, or, from an MCP server, its raw blocks. OpenCode reads it again after the hook. */
export interface OpenCodeToolOutput {
  output?: string;
  metadata?: unknown;
  content?: unknown[];
  isError?: boolean;
}

/** The text of a result, and how to put another in its place. */
interface OutputText {
  readonly text: string;
  put(text: string): void;
}

/** `undefined` for a result without text. */
export async function findOutputText(result: OpenCodeToolOutput): Promise<OutputText | undefined> {
  const { output, metadata, content } = result;
  if (Array.isArray(content)) return findBlockText(result, content);
  if (typeof output !== "string") return undefined;
  return {
    text: (await readWhole(metadata)) ?? output,
    put: (text) => {
      result.output = text;
    },
  };
}

/** The blocks with text are one, as they are in what OpenCode makes of them; images and files are kept. */
function findBlockText(
  result: OpenCodeToolOutput,
  content: readonly unknown[],
): OutputText | undefined {
  const texts = content.map(textOf);
  const joined = texts.filter((text) => text !== undefined).join("\n\n");
  if (joined === "") return undefined;
  return {
    text: joined,
    put: (text) => {
      result.content = [{ type: "text", text }, ...content.filter((_, at) => !texts[at])];
    },
  };
}

function textOf(block: unknown): string | undefined {
  const { type, text, resource } = block as {
    readonly type?: unknown;
    readonly text?: unknown;
    readonly resource?: { readonly text?: unknown };
  };
  const found = type === "resource" ? resource?.text : type === "text" ? text : undefined;
  return typeof found === "string" ? found : undefined;
}

/** What OpenCode cut off is in a file of its own. */
async function readWhole(metadata: unknown): Promise<string | undefined> {
  const { truncated, outputPath } = (metadata ?? {}) as {
    readonly truncated?: unknown;
    readonly outputPath?: unknown;
  };
  if (truncated !== true || typeof outputPath !== "string") return undefined;
  return readFile(outputPath, "utf8").catch(() => undefined);
}
