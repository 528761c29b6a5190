import { describe, expect, it } from "vitest";
import { createOffloader, type OffloaderOptions } from "../../../src/index.js";
import { anthropicFormat } from "../../../src/formats/anthropic.js";
import { pickFormat } from "../../../src/formats/detect-format.js";
import { createMemoryWorkspace } from "../../../src/testing/index.js";
import { conversationOf } from "../../support/conversation.js";
import { rejectionOf } from "../../support/rejection.js";

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
