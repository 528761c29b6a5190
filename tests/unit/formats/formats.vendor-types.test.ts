import type Anthropic from "@anthropic-ai/sdk";
import type { Part, Tool as GeminiTool } from "@google/genai";
import type { BindToolsInput } from "@langchain/core/language_models/chat_models";
import { ToolMessage, type BaseMessageLike } from "@langchain/core/messages";
import type { CallToolResult, Tool as McpTool } from "@modelcontextprotocol/sdk/types.js";
import type { ToolResultPart, ToolSet } from "ai";
import type { ToolResultPart as ToolResultPart7, ToolSet as ToolSet7 } from "ai-7";
import type OpenAI from "openai";
import type OpenAI7 from "openai-7";
import { describe, expect, expectTypeOf, it } from "vitest";
import {
  type AnswerOf,
  type FormatName,
  type ToolsOf,
  langchainFormat,
  mcpFormat,
} from "../../../src/formats/index.js";
import { FORMATS } from "../../../src/formats/formats.js";

/** Checked by the compiler: what a format describes and answers is what the vendor's client takes. */
describe("the vendors' own types take tools and answers without a cast", () => {
  it("Anthropic's", () => {
    expectTypeOf<ToolsOf<"anthropic">>().toExtend<Anthropic.Tool[]>();
    expectTypeOf<ToolsOf<"anthropic">>().toExtend<Anthropic.Beta.BetaTool[]>();
    expectTypeOf<AnswerOf<"anthropic">>().toExtend<Anthropic.ToolResultBlockParam>();
    expectTypeOf<ToolsOf<"claude-code-jsonl">>().toEqualTypeOf<ToolsOf<"anthropic">>();
    expectTypeOf<AnswerOf<"claude-code-jsonl">>().toEqualTypeOf<AnswerOf<"anthropic">>();
    expectTypeOf<ToolsOf<"anthropic-jsonl">>().toEqualTypeOf<ToolsOf<"anthropic">>();
    expectTypeOf<AnswerOf<"anthropic-jsonl">>().toEqualTypeOf<AnswerOf<"anthropic">>();
  });

  it("OpenAI's, for Chat Completions", () => {
    expectTypeOf<ToolsOf<"openai-chat">>().toExtend<OpenAI.ChatCompletionTool[]>();
    expectTypeOf<ToolsOf<"openai-chat">>().toExtend<OpenAI7.ChatCompletionTool[]>();
    expectTypeOf<AnswerOf<"openai-chat">>().toExtend<OpenAI.ChatCompletionToolMessageParam>();
    expectTypeOf<AnswerOf<"openai-chat">>().toExtend<OpenAI7.ChatCompletionToolMessageParam>();
  });

  it("OpenAI's, for Responses", () => {
    type Answer = AnswerOf<"openai-responses">;
    expectTypeOf<ToolsOf<"openai-responses">>().toExtend<OpenAI.Responses.FunctionTool[]>();
    expectTypeOf<ToolsOf<"openai-responses">>().toExtend<OpenAI7.Responses.FunctionTool[]>();
    expectTypeOf<Answer>().toExtend<OpenAI.Responses.ResponseInputItem.FunctionCallOutput>();
    expectTypeOf<Answer>().toExtend<OpenAI7.Responses.ResponseInputItem.FunctionCallOutput>();
    expectTypeOf<ToolsOf<"codex-jsonl">>().toEqualTypeOf<ToolsOf<"openai-responses">>();
    expectTypeOf<AnswerOf<"codex-jsonl">>().toEqualTypeOf<Answer>();
  });

  it("the AI SDK's", () => {
    expectTypeOf<ToolsOf<"ai-sdk">>().toExtend<ToolSet>();
    expectTypeOf<ToolsOf<"ai-sdk">>().toExtend<ToolSet7>();
    expectTypeOf<AnswerOf<"ai-sdk">>().toExtend<ToolResultPart>();
    expectTypeOf<AnswerOf<"ai-sdk">>().toExtend<ToolResultPart7>();
  });

  it("LangChain's", () => {
    expectTypeOf<ToolsOf<"langchain">>().toExtend<BindToolsInput[]>();
    expectTypeOf<AnswerOf<"langchain">>().toExtend<BaseMessageLike>();
    const call = { id: "a", name: "grep", args: {} };
    const message = new ToolMessage(langchainFormat.answerCall(call, { text: "x", isError: true }));
    expect(message).toMatchObject({ content: "x", tool_call_id: "a", status: "error" });
  });

  it("Gemini's", () => {
    expectTypeOf<ToolsOf<"gemini">>().toExtend<GeminiTool[]>();
    expectTypeOf<AnswerOf<"gemini">>().toExtend<Part>();
  });

  it("those of MCP", () => {
    expectTypeOf<ToolsOf<"mcp">>().toExtend<McpTool[]>();
    expectTypeOf<AnswerOf<"mcp">>().toExtend<CallToolResult>();
    const request = { jsonrpc: "2.0", id: 3, method: "tools/call" } as const;
    const response = mcpFormat.answerCall(request, { text: "x", isError: false });
    expectTypeOf(response.result).toExtend<CallToolResult>();
    expect(response.id).toBe(3);
  });
});

it("the names of the formats are a union, and none of their types is loose", () => {
  expectTypeOf<ToolsOf<FormatName>>().not.toBeAny();
  expectTypeOf<AnswerOf<FormatName>>().not.toBeAny();
  expectTypeOf<AnswerOf<FormatName>>().not.toBeUnknown();
  expectTypeOf<"anthropic" | "pi-jsonl" | "openai-chat-jsonl">().toExtend<FormatName>();
  expectTypeOf<"pi-jsonl-jsonl">().not.toExtend<FormatName>();
  expectTypeOf<string>().not.toExtend<FormatName>();
  expect(FORMATS.map(({ name }) => name)).toContain("pi-jsonl" satisfies FormatName);
});
