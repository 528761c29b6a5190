import { describe, expect, it } from "vitest";
import { createOffloader, createWorkspace } from "../../src/index.js";
import { conversationOf } from "../support/conversation.js";
import { makeTempFolder } from "../support/temp-folder.js";

describe("a host's function that returns a promise", () => {
  /** Rejections that nobody handles would end the process. */
  const unhandledWhile = async (work: () => Promise<unknown>): Promise<unknown[]> => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => void unhandled.push(reason);
    process.on("unhandledRejection", note);
    try {
      await work();
      await new Promise((resolve) => setTimeout(resolve, 20));
      return unhandled;
    } finally {
      process.off("unhandledRejection", note);
    }
  };
  const fail = () => Promise.reject(new Error("away"));

  it("does no harm when it fails: a logger, a counter of calls, a callback of restore", async () => {
    const logger = Object.assign(() => fail() as never, { storeCall: () => fail() as never });
    const root = await makeTempFolder();
    const unhandled = await unhandledWhile(async () => {
      const workspace = createWorkspace({ root, logger });
      const offloader = createOffloader({ workspace, sessionId: "s", format: "anthropic" });
      const lie =
        '<knowledge_list>\n<knowledge id="a" hash="00000000">\nx\n</knowledge>\n</knowledge_list>';
      const history = conversationOf({ id: "a", text: lie });
      await offloader.offload(history);
      await offloader.restore(history, { onUnknown: () => fail() as never });
    });
    expect(unhandled).toEqual([]);
  });
});
