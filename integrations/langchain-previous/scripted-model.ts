import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, AIMessageChunk, type BaseMessage } from "@langchain/core/messages";
import { ChatGenerationChunk, type ChatResult } from "@langchain/core/outputs";

type Reply = (messages: readonly BaseMessage[]) => AIMessage;

/** A chat model that gives these replies in turn, and keeps what it was sent. */
export class ScriptedModel extends BaseChatModel {
  readonly sent: string[] = [];
  tools: unknown[] = [];

  constructor(private readonly replies: Reply[]) {
    super({});
  }

  override _llmType(): string {
    return "scripted";
  }

  override bindTools(tools: unknown[]): this {
    this.tools = tools;
    return this;
  }

  override _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const message = this.reply(messages);
    return Promise.resolve({ generations: [{ message, text: textOf(message) }] });
  }

  override async *_streamResponseChunks(messages: BaseMessage[]) {
    await Promise.resolve();
    const { content, tool_calls = [] } = this.reply(messages);
    const chunks = tool_calls.map(({ id = "", name, args }, index) => ({
      ...{ type: "tool_call_chunk" as const, id, name, index },
      args: JSON.stringify(args),
    }));
    const message = new AIMessageChunk({ content, tool_call_chunks: chunks });
    yield new ChatGenerationChunk({ message, text: textOf(message) });
  }

  private reply(messages: BaseMessage[]): AIMessage {
    const reply = this.replies[this.sent.length];
    this.sent.push(messages.map(textOf).join("\n"));
    if (!reply) throw new Error("The script is over.");
    return reply(messages);
  }
}

export function textOf({ content }: BaseMessage): string {
  return typeof content === "string" ? content : JSON.stringify(content);
}
