import { describe, expect, it } from "vitest";
import {
  DEFAULT_SETTINGS,
  everything,
  ours,
  peersIn,
  replayConversation,
  replaySession,
  systemNamed,
  type Item,
  type ReadBackBand,
  type RecordedConversation,
  type ResultItem,
  type System,
} from "../src/index.js";
import { options } from "./support/char-prices.js";

/** Every hidden result is read back, whole. */
const ALL: readonly ReadBackBand[] = [{ fromTokens: 0, share: 1, part: 1 }];

function result(callId: string, text: string): ResultItem {
  return { role: "result", callId, toolName: "bash", text, isError: false };
}

function calling(...ids: string[]): Item {
  return {
    role: "assistant",
    text: "",
    calls: ids.map((id) => ({ id, name: "bash", input: {} })),
  };
}

function said(text: string): Item {
  return { role: "assistant", text, calls: [] };
}

function recorded(...items: Item[]): RecordedConversation {
  return { source: "test", name: "test", items: [{ role: "user", text: "Which one?" }, ...items] };
}

/** Hides results once so many replies came after them: 0 at arrival. Reads return the text, or a part. */
function hidingAfter(replies: number, { answersToo = false, shown = "-" } = {}): System {
  return {
    name: "hiding",
    start: () =>
      Promise.resolve({
        overhead: "",
        present: (history) =>
          history.map((item, index) => {
            const later = history.slice(index).filter(({ role }) => role === "assistant").length;
            if (item.role !== "result" || later < replies) return item;
            if (item.found === undefined) return { ...item, text: shown };
            return answersToo ? { ...item, text: "-", found: "" } : item;
          }),
        async *read({ text }, _sent, facts) {
          const found = text.split("\n").filter((line) => facts.some((f) => line.includes(f)));
          yield await Promise.resolve([{ name: "grep", input: {}, answer: found.join("\n") }]);
        },
        async *readPart({ text }, _sent, part) {
          const answer = text.slice(0, text.length * part);
          yield await Promise.resolve([{ name: "read", input: {}, answer }]);
        },
      }),
  };
}

describe("the live reader", () => {
  const conversation = recorded(calling("c1"), result("c1", "all is well"), said("Good."));

  it("reads back what is hidden when it arrives, though no name of it is used, and pays for the call", async () => {
    const system = hidingAfter(0);
    const easy = await replayConversation(conversation, system, options);
    expect(easy).toMatchObject({ requests: 2, readBacks: 0, readTurns: 0 });
    const live = await replayConversation(conversation, system, { ...options, readBacks: ALL });
    expect(live).toMatchObject({ requests: 3, readBacks: 1, readsAtArrival: 1, readTurns: 1 });
    expect(live.readTokens).toBe("all is well".length);
    // The call: its JSON after a line break, and 4 for the message and for the call.
    const call = JSON.stringify({ name: "read", input: {} }).length + 1 + 2 * 4;
    const answer = "all is well".length + 4;
    // The first request has the prompt and the question, 100 + 10 + 4; the second what the third repeats.
    const repeated = easy.tokens - 114;
    expect(live.price - easy.price).toBeCloseTo(0.1 * repeated + 1.25 * (call + answer) + 5 * call);
    expect(live.replyPrice).toBe(easy.replyPrice);
  });

  it("reads nothing back that was seen whole, unless a reply uses a name of it that is nowhere else", async () => {
    const seen = recorded(
      ...[calling("c1"), result("c1", "the order_id was 4711"), said("I see.")],
      ...[said("Go on."), said("Further.")],
    );
    const live = { ...options, readBacks: ALL };
    const unused = await replayConversation(seen, hidingAfter(2), live);
    expect(unused).toMatchObject({ readBacks: 0 });
    const used = recorded(...seen.items.slice(1), said("It was 4711."));
    const again = await replayConversation(used, hidingAfter(2), live);
    expect(again).toMatchObject({ readBacks: 1, readsAtArrival: 0, lost: 0 });
  });

  it("reads it back again once the answer has aged, too", async () => {
    const aging = hidingAfter(2, { answersToo: true });
    const used = recorded(
      ...[calling("c1"), result("c1", "the order_id was 4711"), said("I see."), said("Go on.")],
      ...[said("It was order_id 4711, ask me later."), said("Wait."), said("Wait."), said("4711")],
    );
    // What the replies themselves say stays in the conversation: let them use one name each.
    const items = used.items.map((item) =>
      item.text.startsWith("It was") ? { ...item, text: "order_id" } : item,
    );
    const outcome = await replayConversation({ items }, aging, { ...options, readBacks: ALL });
    expect(outcome).toMatchObject({ readBacks: 2, readsAtArrival: 0, lost: 0 });
    const kept = await replayConversation({ items }, hidingAfter(2), options);
    expect(kept).toMatchObject({ readBacks: 1, lost: 0 });
  });

  it("takes what stands in place of a result for granted, or not", async () => {
    const used = recorded(calling("c1"), result("c1", "order_id 4711"), said("It was 4711."));
    const hiding = hidingAfter(0, { shown: "a digest with 4711" });
    const trusting = await replayConversation(used, hiding, options);
    expect(trusting).toMatchObject({ readBacks: 0, lost: 0 });
    const distrusting = await replayConversation(used, hiding, { ...options, distrust: true });
    expect(distrusting).toMatchObject({ readBacks: 1, lost: 0 });
  });

  it("reads results that arrived together in one request", async () => {
    const parallel = recorded(
      ...[calling("c1", "c2"), result("c1", "one"), result("c2", "two"), said("Good.")],
    );
    const live = await replayConversation(parallel, hidingAfter(0), { ...options, readBacks: ALL });
    expect(live).toMatchObject({ requests: 3, readBacks: 2, readTurns: 1 });
  });

  it("needs a further read for what the part did not hold", async () => {
    const text = ["first line", "order_id 4711", ...Array<string>(20).fill("more"), "user_id 0815"];
    const long = recorded(calling("c1"), result("c1", text.join("\n")), said("4711 and 0815"));
    const readBacks = [{ fromTokens: 0, share: 1, part: 0.5 }];
    const half = await replayConversation(long, hidingAfter(0), { ...options, readBacks });
    expect(half).toMatchObject({ requests: 4, readBacks: 2, readsAtArrival: 1, lost: 0 });
    const whole = await replayConversation(long, hidingAfter(0), { ...options, readBacks: ALL });
    expect(whole).toMatchObject({ requests: 3, readBacks: 1, lost: 0 });
  });

  it("chooses by size and by content, the same way each time", async () => {
    const texts = Array.from({ length: 200 }, (_, at) => `short ${at}`);
    const ids = texts.map((_, at) => `c${at}`);
    const many = recorded(
      calling(...ids),
      ...texts.map((text, at) => result(`c${at}`, text)),
      said("Good."),
    );
    const read = async (...readBacks: ReadBackBand[]) =>
      (await replayConversation(many, hidingAfter(0), { ...options, readBacks })).readBacks;
    const some = await read({ fromTokens: 0, share: 0.5, part: 1 });
    expect(some).toBeGreaterThan(70);
    expect(some).toBeLessThan(130);
    expect(await read({ fromTokens: 0, share: 0.5, part: 1 })).toBe(some);
    expect(await read({ fromTokens: 50, share: 1, part: 1 })).toBe(0);
    expect(
      await read({ fromTokens: 0, share: 0, part: 1 }, { fromTokens: 9, share: 1, part: 1 }),
    ).toBe(texts.filter(({ length }) => length >= 9).length);
  });
});

describe("both readers", () => {
  const line = (at: number) => `${at} nothing to see in this line of a long log`;
  const log = Array.from({ length: 2_000 }, (_, at) => line(at)).join("\n");
  const session = {
    conversations: [recorded(calling("c1"), result("c1", log), said("Good."), said("Done."))],
    isRejected: false,
  };
  const countTokens = (text: string) => Math.ceil(text.length / 4);

  it("are replayed beside each other, and the live one reads more of what ours hides", async () => {
    const readBacks = [{ fromTokens: 0, share: 1, part: 0.5 }];
    const settings = { ...DEFAULT_SETTINGS, readBacks };
    const systems = { everything, ours: ours({ name: "ours" }) };
    const { conversations } = await replaySession(session, systems, { settings, countTokens });
    const [figures] = conversations;
    expect(figures).toMatchObject({ turns: 3, name: "test" });
    const { live, names } = figures?.outcomes ?? {};
    expect(names?.["ours"]).toMatchObject({ readBacks: 0, lost: 0 });
    expect(live?.["ours"]?.readsAtArrival).toBeGreaterThan(0);
    // The half is read, in pages if need be, and not much more than that.
    const tokens = live?.["ours"]?.readTokens ?? 0;
    expect(tokens).toBeGreaterThan(countTokens(log) * 0.4);
    expect(tokens).toBeLessThan(countTokens(log) * 0.8);
    expect(live?.["everything"]).toEqual(names?.["everything"]);
  });

  it("differ in nothing where a system hides nothing at arrival", async () => {
    const settings = DEFAULT_SETTINGS;
    const systems = { masking: systemNamed("gemini-masking", peersIn(".")) };
    const { conversations } = await replaySession(session, systems, { settings, countTokens });
    expect(conversations[0]?.outcomes.live).toEqual(conversations[0]?.outcomes.names);
  });
});

describe("peers that age", () => {
  it("masks old results together, as gemini-cli does, keeps the newest, and reads masked ones from their file", async () => {
    const pages = Array.from({ length: 6 }, (_, at) =>
      [`page_${at}`, ...Array<string>(8_000).fill("words words"), `the end_of_page ${at}`].join(
        "\n",
      ),
    );
    const items = pages.flatMap((text, at): Item[] => [
      calling(`c${at}`),
      result(`c${at}`, text),
      said(`Read ${at}.`),
    ]);
    const session = await systemNamed("gemini-masking", peersIn(".")).start({
      ...{ folder: "", reader: "search", contextLines: 1, usedLater: new Map() },
    });
    const shown = async (count: number) =>
      (await session.present(items.slice(0, count))).map(({ text }) => text.length);
    // Each has about 24,000 tokens: the third is the first beyond the newest 50,000, and 30,000 must be there.
    expect(await shown(9)).toEqual(items.slice(0, 9).map(({ text }) => text.length));
    const [, first, , , second, , , third] = await shown(12);
    expect(first).toBeLessThan(1_000);
    expect(second).toBeLessThan(1_000);
    expect(third).toBeGreaterThan(90_000);
    expect(await shown(9)).toEqual((await shown(12)).slice(0, 9));
    const hidden = items[1] as ResultItem;
    const reading = session.read?.(hidden, undefined, ["end_of_page"]);
    const [step] = (await reading?.next(["end_of_page"]))?.value ?? [];
    expect(step?.answer.split("\n")).toHaveLength(2);
    expect(step?.answer).toContain("the end_of_page 0");
  });

  it("lets the AI SDK's pruning keep results that have just arrived together", async () => {
    const session = await systemNamed("ai-sdk-pruning", peersIn(".")).start({
      ...{ folder: "", reader: "search", usedLater: new Map() },
    });
    const ids = ["c1", "c2", "c3", "c4"];
    const parallel = [calling(...ids), ...ids.map((id) => result(id, "text"))];
    expect(await session.present(parallel)).toEqual(parallel);
  });
});
