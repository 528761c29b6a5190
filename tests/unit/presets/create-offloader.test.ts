import { describe, expect, expectTypeOf, it } from "vitest";
import {
  createOffloader,
  type Offloader,
  type OffloaderFor,
  type OffloaderOptions,
} from "../../../src/index.js";
import {
  anthropicFormat,
  type AnswerOf,
  type Format,
  type ToolsByFormat,
  type ToolsOf,
} from "../../../src/formats/index.js";
import { minTokens } from "../../../src/policies.js";
import { createMemoryWorkspace } from "../../../src/testing/index.js";

describe("the options of an offloader", () => {
  it.each([
    [{ sessionId: "" }, "sessionId"],
    [{ workspace: {} }, "workspace"],
    [{ root: "somewhere" }, "root"],
    [{ media: "drop" }, "media"],
    [{ onError: "ignore" }, "onError"],
    [{ policy: {} }, "policy"],
    [{ policy: { ...minTokens(1), perResult: undefined } }, "policy"],
    [{ policy: { ...minTokens(1), needsTotalChars: undefined } }, "policy"],
    [{ format: { name: "x" } }, "format"],
    [{ format: "klingon" }, "format"],
  ])("refuses %j", (options, argument) => {
    const workspace = createMemoryWorkspace();
    const given = { workspace, sessionId: "s1", ...options } as unknown as OffloaderOptions;
    expect(() => createOffloader(given)).toThrow(
      expect.objectContaining({ code: "INVALID_ARGUMENT", argument }),
    );
  });

  it.each([
    ["openai", "openai-chat"],
    ["Anthropc", "anthropic"],
    ["claude", "claude-code-jsonl"],
    ["vercel-ai-sdk", "ai-sdk"],
  ])("suggest a format for %j", (format, nearest) => {
    const workspace = createMemoryWorkspace();
    const hint = `Did you mean ${nearest}? The names, closest first: ${nearest}, `;
    const create = (): unknown =>
      createOffloader({ workspace, sessionId: "s1", format: format as "auto" });
    expect(create).toThrow(hint);
    const offloader = createOffloader({ workspace, sessionId: "s1" });
    expect(() => offloader.tools(format as "mcp")).toThrow(hint);
  });

  it("say what parts is", () => {
    const options = { workspace: createMemoryWorkspace(), sessionId: "s1", parts: "results" };
    const offload = createOffloader(options as never).offload([]);
    return expect(offload).rejects.toThrow("parts must be an array of results, userMessages");
  });

  it("may be none but the session and where to store", () => {
    const workspace = createMemoryWorkspace();
    expect(createOffloader({ workspace, sessionId: "s1" }).workspace).toBe(workspace);
    const format = "openai-chat";
    const [tool] = createOffloader({ workspace, sessionId: "s1", format }).tools();
    expect(tool).toMatchObject({ type: "function", function: { name: "get_knowledge_by_id" } });
  });
});

describe("the tools and answers of an offloader", () => {
  type Typed<Tools, Answer> = Offloader<Tools, Answer, ToolsByFormat>;
  type Anthropic = Typed<ToolsOf<"anthropic">, AnswerOf<"anthropic">>;

  it("have the types that your format has, whatever its messages are", () => {
    type Own<Message> = Format<Message, string[], number>;
    type Loose = ReturnType<typeof JSON.parse>;
    expectTypeOf<OffloaderFor<Own<{ a: 1 }>>>().toEqualTypeOf<Typed<string[], number>>();
    expectTypeOf<OffloaderFor<Own<unknown>>>().toEqualTypeOf<Typed<string[], number>>();
    expectTypeOf<OffloaderFor<Own<Loose>>>().toEqualTypeOf<Typed<string[], number>>();
    expectTypeOf<OffloaderFor<Format>>().toEqualTypeOf<Typed<unknown, unknown>>();
  });

  it("have the types of a built-in format, by its name or as an object", () => {
    const workspace = createMemoryWorkspace();
    const offloader = createOffloader({ workspace, sessionId: "s1", format: anthropicFormat });
    expectTypeOf(offloader).toEqualTypeOf<Anthropic>();
    expectTypeOf<OffloaderFor<"anthropic">>().toEqualTypeOf<Anthropic>();
    expectTypeOf<OffloaderFor<"auto">>().toEqualTypeOf<Typed<unknown, unknown>>();
  });
});
