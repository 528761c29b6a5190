import { Model } from "@strands-agents/sdk";

/**
 * @typedef {{ toolUseId: string, name: string, input: unknown }} ToolCall
 * @typedef {ToolCall[] | ((last: string) => string)} Turn
 *   What the model does in one request: calls of tools, or a text made from the last message.
 * @typedef {import("@strands-agents/sdk").ModelStreamEvent} ModelStreamEvent
 */

/** A model that plays one turn for each request, and keeps what each request held. */
export class ScriptedModel extends Model {
  /** @type {string[]} */
  prompts = [];
  /** @type {string[][]} */
  offered = [];

  /** @param {Turn[]} turns */
  constructor(...turns) {
    super();
    this.turns = turns;
  }

  /**
   * @param {import("@strands-agents/sdk").Message[]} _
   * @returns {Turn}
   */
  next(_) {
    return this.turns[this.prompts.length] ?? (() => "Done.");
  }

  updateConfig() {}

  getConfig() {
    return { modelId: "scripted", contextWindowLimit: 1_000_000 };
  }

  /**
   * @param {import("@strands-agents/sdk").Message[]} messages
   * @param {import("@strands-agents/sdk").StreamOptions} [options]
   * @returns {AsyncGenerator<ModelStreamEvent>}
   */
  async *stream(messages, { systemPrompt, toolSpecs = [] } = {}) {
    const turn = this.next(messages);
    this.prompts.push(JSON.stringify({ systemPrompt, messages }));
    this.offered.push(toolSpecs.map(({ name }) => name));
    yield { type: "modelMessageStartEvent", role: "assistant" };
    if (typeof turn === "function") {
      const text = turn(JSON.stringify(messages.at(-1)));
      yield { type: "modelContentBlockStartEvent" };
      yield { type: "modelContentBlockDeltaEvent", delta: { type: "textDelta", text } };
      yield { type: "modelContentBlockStopEvent" };
    } else {
      for (const { input, ...call } of turn) yield* playCall(call, JSON.stringify(input));
    }
    const stopReason = typeof turn === "function" ? "endTurn" : "toolUse";
    yield { type: "modelMessageStopEvent", stopReason };
  }
}

/**
 * @param {Omit<ToolCall, "input">} call
 * @param {string} input
 * @returns {Generator<ModelStreamEvent>}
 */
function* playCall(call, input) {
  yield { type: "modelContentBlockStartEvent", start: { type: "toolUseStart", ...call } };
  yield { type: "modelContentBlockDeltaEvent", delta: { type: "toolUseInputDelta", input } };
  yield { type: "modelContentBlockStopEvent" };
}
