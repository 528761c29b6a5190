import { describe, expect, expectTypeOf, it } from "vitest";
import { InvalidArgumentError } from "../../../src/errors.js";
import {
  anthropicFormat,
  type AnswerOf,
  type Format,
  type ToolsByFormat,
  type ToolsOf,
} from "../../../src/formats/index.js";
import {
  createOffloader,
  type Offloader,
  type OffloaderFor,
  type OffloaderOptions,
  createWorkspace,
  memoryStore,
} from "../../../src/index.js";
import { minTokens } from "../../../src/policies.js";
import { pickFormat } from "../../../src/formats/detect-format.js";
import { createMemoryWorkspace } from "../../../src/testing/index.js";
import { conversationOf } from "../../support/conversation.js";
import { rejectionOf } from "../../support/rejection.js";

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
    expect(tool).toMatchObject({ type: "function", function: { name: "read_stored" } });
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

function create(options: Partial<OffloaderOptions> = {}) {
  return createOffloader({ workspace: createMemoryWorkspace(), sessionId: "s1", ...options });
}
describe("the format of a conversation", () => {
  it("is found out, or is the one that was chosen", () => {
    const messages = conversationOf({ id: "a", text: "ok" });
    expect(pickFormat(messages, undefined).name).toBe("anthropic");
    const own = { ...anthropicFormat, name: "mine" };
    expect(pickFormat(messages, own as never)).toBe(own);
  });

  it("says which formats it tried when none fits", async () => {
    const offloader = create();
    const error = await rejectionOf(offloader.offload([{ what: "ever" }]));
    expect(error).toMatchObject({ code: "UNKNOWN_FORMAT" });
    expect(String(error)).toMatch(/\n- anthropic: message 0 .*\n- /);
    const broken = [...conversationOf({ id: "a", text: "ok" }), null];
    expect(await rejectionOf(offloader.offload(broken))).toMatchObject({
      code: "INVALID_ARGUMENT",
      message: "history[3] must be a message, but it is null.",
    });
  });

  it("refuses messages that are not of the format it was given", async () => {
    const offloader = create({ format: "gemini" });
    const error = await rejectionOf(offloader.offload(conversationOf({ id: "a", text: "ok" })));
    expect(error).toMatchObject({ code: "UNKNOWN_FORMAT" });
    expect(String(error)).toContain("These messages are not in the format gemini: ");
  });
});

function refusalOf(toolNames: unknown): InvalidArgumentError {
  try {
    createWorkspace({ store: memoryStore(), toolNames: toolNames as never });
  } catch (error) {
    if (error instanceof InvalidArgumentError) return error;
    throw error;
  }
  throw new Error("was accepted");
}
describe("the names of the reading tools", () => {
  it("are refused if two tools have the same one", () => {
    const names = { grep_knowledge: "search", query_knowledge: "search" };
    expect(refusalOf(names).message).toContain("query_knowledge");
  });

  it("are refused if another tool has it by default", () => {
    const error = refusalOf({ grep_knowledge: "query_knowledge" });
    expect(error.argument).toBe("toolNames.grep_knowledge");
  });

  it("may be the default of a tool that the agent does not have", () => {
    const toolNames = { grep_knowledge: "query_knowledge", query_knowledge: false } as const;
    const tools = createWorkspace({ store: memoryStore(), toolNames }).tools();
    expect(tools.map(({ name }) => name)).toContain("query_knowledge");
  });

  it.each(["", "search results", "suche.grün", "x".repeat(129), true, 5, null])(
    "are refused if vendors refuse them: %j",
    (name) => {
      const error = refusalOf({ grep_knowledge: name });
      expect(error.argument).toBe("toolNames.grep_knowledge");
      expect(error.message).toContain("1 to 128 letters, digits");
    },
  );

  it("of a tool that does not exist are refused, with the nearest tool first", () => {
    const { message } = refusalOf({ grep_knowlege: "search" });
    expect(message).toContain(
      "toolNames.grep_knowlege must be omitted: the reading tools are grep_knowledge, ",
    );
  });

  it.each(["search", 5, ["search"], null])("are refused if they are not an object: %j", (names) => {
    expect(refusalOf(names).argument).toBe("toolNames");
  });
});
