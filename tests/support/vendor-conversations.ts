import type Anthropic from "@anthropic-ai/sdk";
import type { ModelMessage, ToolResultPart } from "ai";
import fc from "fast-check";
import type OpenAI from "openai";

/** A piece of what a tool answered: text, or a picture in base64. */
export type Piece = { readonly text: string } | { readonly png: string };

export interface Call {
  readonly id: string;
  readonly name: string;
  readonly input: Record<string, unknown>;
  /** A single text is written as a plain string where the vendor has that. */
  readonly result: readonly Piece[];
  readonly isError: boolean;
}

/** A conversation in no vendor's terms: what people asked, and what the model did. */
export type Turn =
  { readonly ask: string } | { readonly say: string; readonly calls: readonly Call[] };

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** The turns of a conversation that was recorded as Anthropic messages. */
export function readTurns(messages: readonly Anthropic.MessageParam[]): Turn[] {
  const results = new Map(
    messages.flatMap(({ content }) =>
      typeof content === "string"
        ? []
        : content.flatMap((block) =>
            block.type === "tool_result" ? [[block.tool_use_id, block] as const] : [],
          ),
    ),
  );
  return messages.flatMap(({ role, content }): Turn[] => {
    if (typeof content === "string") return [{ ask: content }];
    if (role === "user") return [];
    const say = content.map((block) => (block.type === "text" ? block.text : "")).join("");
    const calls = content.flatMap((block): Call[] => {
      if (block.type !== "tool_use") return [];
      const { id, name } = block;
      const { content: answer = "", is_error: isError = false } = results.get(id) ?? {};
      const result = typeof answer === "string" ? [{ text: answer }] : answer.flatMap(readPiece);
      return [{ id, name, input: block.input as Record<string, unknown>, result, isError }];
    });
    return [{ say, calls }];
  });
}

function readPiece(
  block: Exclude<Anthropic.ToolResultBlockParam["content"], string | undefined>[number],
): Piece[] {
  if (block.type === "text") return [{ text: block.text }];
  return block.type === "image" && block.source.type === "base64"
    ? [{ png: block.source.data }]
    : [];
}

/** Conversations with parallel calls, errors, pictures and answers of every length; always the same. */
export function generateTurns(count: number): Turn[][] {
  const text = fc.oneof(
    fc.lorem({ maxCount: 20, mode: "sentences" }),
    fc
      .array(fc.record({ id: fc.nat(), note: fc.string() }), { minLength: 5, maxLength: 300 })
      .map((rows) => JSON.stringify({ rows })),
    fc.nat(4_000).map((lines) => "2026-03-04 ünïcode \u0001 <log> & line\r\n".repeat(lines + 1)),
  );
  const pieces = fc.oneof<fc.Arbitrary<readonly Piece[]>[]>(
    text.map((one) => [{ text: one }]),
    fc.tuple(text, text).map(([one, other]) => [{ text: one }, { text: other }]),
    text.map((one) => [{ text: one }, { png: PNG }]),
    fc.constant([{ png: PNG }]),
  );
  const call = fc.record({
    name: fc.constantFrom("read_file", "search", "screenshot"),
    input: fc.record({ query: fc.string() }),
    result: pieces,
    isError: fc.boolean(),
  });
  const step = fc.record({
    say: fc.lorem(),
    calls: fc.array(call, { minLength: 1, maxLength: 4 }),
  });
  const talk = fc.array(step, { minLength: 2, maxLength: 6 });
  return fc.sample(talk, { numRuns: count, seed: 4 }).map((steps, nth) => [
    { ask: "What is wrong here?" },
    ...steps.map(({ say, calls }, at) => ({
      say,
      calls: calls.map((one, place) => ({
        ...one,
        id: `call_${nth}_${at}_${place}`,
        // Anthropic takes nothing but text in an error.
        isError: one.isError && one.result.every((piece) => "text" in piece),
      })),
    })),
  ]);
}

export function toAnthropic(turns: readonly Turn[]): Anthropic.MessageParam[] {
  return turns.flatMap((turn): Anthropic.MessageParam[] => {
    if ("ask" in turn) return [{ role: "user", content: turn.ask }];
    const { say, calls } = turn;
    const said = { type: "text" as const, text: say };
    const made = calls.map(({ id, name, input }) => ({
      type: "tool_use" as const,
      ...{ id, name, input },
    }));
    if (calls.length === 0) return [{ role: "assistant", content: [said] }];
    return [
      { role: "assistant", content: [said, ...made] },
      {
        role: "user",
        content: calls.map(({ id, result, isError }) => ({
          type: "tool_result",
          tool_use_id: id,
          content: soleText(result) ?? result.map(toAnthropicBlock),
          ...(isError ? { is_error: true } : {}),
        })),
      },
    ];
  });
}

function toAnthropicBlock(piece: Piece): Anthropic.TextBlockParam | Anthropic.ImageBlockParam {
  if ("text" in piece) return { type: "text", text: piece.text };
  return { type: "image", source: { type: "base64", media_type: "image/png", data: piece.png } };
}

export function toChat(turns: readonly Turn[]): OpenAI.ChatCompletionMessageParam[] {
  return turns.flatMap((turn): OpenAI.ChatCompletionMessageParam[] => {
    if ("ask" in turn) return [{ role: "user", content: turn.ask }];
    const { say, calls } = turn;
    if (calls.length === 0) return [{ role: "assistant", content: say }];
    // A tool's message takes text alone; agents show pictures in a user's message after it.
    const pictures = calls.flatMap(({ result }) => result).filter((piece) => "png" in piece);
    return [
      {
        role: "assistant",
        content: say,
        tool_calls: calls.map(({ id, name, input }) => ({
          id,
          type: "function",
          function: { name, arguments: JSON.stringify(input) },
        })),
      },
      ...calls.map(({ id, result }) => ({
        role: "tool" as const,
        tool_call_id: id,
        content: soleText(result) ?? [
          ...result.flatMap((piece) => ("text" in piece ? [textPart(piece.text)] : [])),
          textPart("(the pictures follow)"),
        ],
      })),
      ...(pictures.length === 0
        ? []
        : [
            {
              role: "user" as const,
              content: pictures.map(({ png }) => ({
                type: "image_url" as const,
                image_url: { url: `data:image/png;base64,${png}` },
              })),
            },
          ]),
    ];
  });
}

function textPart(text: string) {
  return { type: "text" as const, text };
}

export function toResponses(turns: readonly Turn[]): OpenAI.Responses.ResponseInputItem[] {
  return turns.flatMap((turn): OpenAI.Responses.ResponseInputItem[] => {
    if ("ask" in turn) return [{ role: "user", content: turn.ask }];
    const { say, calls } = turn;
    return [
      { role: "assistant", content: say },
      ...calls.map(({ id, name, input }) => ({
        type: "function_call" as const,
        call_id: id,
        name,
        arguments: JSON.stringify(input),
      })),
      ...calls.map(({ id, result }) => ({
        type: "function_call_output" as const,
        call_id: id,
        output: soleText(result) ?? result.map(toInputPart),
      })),
    ];
  });
}

function toInputPart(
  piece: Piece,
): OpenAI.Responses.ResponseInputTextContent | OpenAI.Responses.ResponseInputImageContent {
  if ("text" in piece) return { type: "input_text", text: piece.text };
  return { type: "input_image", image_url: `data:image/png;base64,${piece.png}` };
}

export function toAiSdk(turns: readonly Turn[]): ModelMessage[] {
  return turns.flatMap((turn): ModelMessage[] => {
    if ("ask" in turn) return [{ role: "user", content: turn.ask }];
    const { say, calls } = turn;
    if (calls.length === 0) return [{ role: "assistant", content: say }];
    return [
      {
        role: "assistant",
        content: [
          textPart(say),
          ...calls.map(({ id, name, input }) => ({
            type: "tool-call" as const,
            toolCallId: id,
            toolName: name,
            input,
          })),
        ],
      },
      {
        role: "tool",
        content: calls.map((call) => ({
          type: "tool-result",
          toolCallId: call.id,
          toolName: call.name,
          output: toOutput(call),
        })),
      },
    ];
  });
}

function toOutput({ result, isError }: Call): ToolResultPart["output"] {
  const text = soleText(result);
  if (text === undefined) {
    const value = result.map((piece) =>
      "text" in piece
        ? textPart(piece.text)
        : { type: "image-data" as const, data: piece.png, mediaType: "image/png" },
    );
    return { type: "content", value };
  }
  if (!text.startsWith("{")) return { type: isError ? "error-text" : "text", value: text };
  return { type: isError ? "error-json" : "json", value: JSON.parse(text) as never };
}

function soleText(pieces: readonly Piece[]): string | undefined {
  const [first, ...others] = pieces;
  return first && "text" in first && others.length === 0 ? first.text : undefined;
}
