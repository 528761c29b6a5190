import { aiSdkFormat } from "../../formats/ai-sdk.js";
import type { OffloadSession } from "../shared/connect-sessions.js";

/** A call of a tool. */
export interface GenkitToolRequest {
  readonly name: string;
  readonly ref?: string | undefined;
  readonly input?: unknown;
}

/** The answer to a call. */
export interface GenkitToolResponse {
  readonly name: string;
  readonly ref?: string | undefined;
  readonly output?: unknown;
}

/** A part of a message; it has one of these fields, or another one. */
export interface GenkitPart {
  readonly text?: string | undefined;
  readonly toolRequest?: GenkitToolRequest | undefined;
  readonly toolResponse?: GenkitToolResponse | undefined;
}

/** A message of a conversation. */
export interface GenkitMessage {
  readonly role: string;
  readonly content: readonly GenkitPart[];
}

interface TranslatedMessage {
  readonly role: string;
  readonly content: string | readonly object[];
}

/** A whole history, with references for large results. */
export const shortenHistory = <M extends GenkitMessage>(
  session: OffloadSession,
  messages: readonly M[],
): Promise<M[]> => shorten(messages, (translated) => session.history(translated, aiSdkFormat));

/** The answer to a call, or its reference. */
export async function shortenAnswer<P extends GenkitPart>(
  session: OffloadSession,
  toolRequest: GenkitToolRequest,
  answer: P,
): Promise<P> {
  const call = { role: "model", content: [{ toolRequest }] };
  const [, told] = await shorten<GenkitMessage>(
    [call, { role: "tool", content: [answer] }],
    (translated) => session.exchange(translated, aiSdkFormat),
  );
  return (told?.content[0] ?? answer) as P;
}

/** The AI SDK's messages have the same structure, so that its format can decide what to replace. */
async function shorten<M extends GenkitMessage>(
  messages: readonly M[],
  offload: (translated: readonly TranslatedMessage[]) => Promise<readonly TranslatedMessage[]>,
): Promise<M[]> {
  const before = messages.map(translate);
  const after = await offload(before);
  return messages.map((message, at) => {
    const told = after[at];
    return told === undefined || told === before[at] ? message : withOutputs(message, told);
  });
}

function translate({ role, content }: GenkitMessage): TranslatedMessage {
  if (role === "tool") return { role, content: content.flatMap(translateResponse) };
  if (role === "model") return { role: "assistant", content: content.map(translateModelPart) };
  return { role, content: content.map(({ text = "" }) => text).join("") };
}

function translateModelPart({ text = "", toolRequest }: GenkitPart): object {
  if (!toolRequest) return { type: "text", text };
  const { name, ref = "", input } = toolRequest;
  return { type: "tool-call", toolCallId: ref, toolName: name, input };
}

function translateResponse({ toolResponse }: GenkitPart): object[] {
  if (!toolResponse) return [];
  const { name, ref = "", output: value } = toolResponse;
  const output = { type: typeof value === "string" ? "text" : "json", value };
  return [{ type: "tool-result", toolCallId: ref, toolName: name, output }];
}

/** The message with the outputs of its translation, which has its responses in the same order. */
function withOutputs<M extends GenkitMessage>(message: M, { content }: TranslatedMessage): M {
  const results = [...(content as readonly { output: { value: unknown } }[])];
  const parts = message.content.map((part) => {
    const { toolResponse } = part;
    const told = toolResponse && results.shift();
    return !told || told.output.value === toolResponse.output
      ? part
      : { ...part, toolResponse: { ...toolResponse, output: told.output.value } };
  });
  return { ...message, content: parts };
}
