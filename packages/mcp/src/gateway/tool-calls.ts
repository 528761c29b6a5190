import type { Toolbox } from "../toolbox.js";
import type { Catalog, CatalogEntry } from "./catalog.js";
import type { Forwarding } from "./forwarding.js";
import type { OffloadConfig } from "./gateway-config.js";
import {
  asParams,
  asText,
  errorAnswer,
  INVALID_PARAMS,
  type Params,
  type RpcAnswer,
  type RpcRequest,
} from "./json-rpc.js";
import { offloadAnswer, type AnswerOptions } from "./offload-answer.js";
import type { Upstream } from "./upstream.js";

/** The name that the gateway introduces itself by. */
export const GATEWAY_NAME = "context-offload-gateway";
/** Servers whose answers are short already. */
const OWN_NAMES: readonly unknown[] = [GATEWAY_NAME, "context-offload"];

interface Call {
  readonly entry: CatalogEntry;
  readonly input: unknown;
}

/** What calls of tools need of the gateway. */
export interface ToolCallParts {
  readonly tools: Catalog;
  readonly toolbox: Toolbox;
  readonly forwarding: Forwarding;
  readonly policy: OffloadConfig | undefined;
  readonly answerOptions: () => AnswerOptions;
  readonly note: (text: string) => void;
}

/** Calls of the servers' tools, whose large answers are stored, and of our own. */
export class ToolCalls {
  /** Tasks by the server that runs them, and the call whose answer they bring. */
  readonly #tasks = new Map<string, { readonly upstream: Upstream; readonly call: Call }>();

  constructor(private readonly parts: ToolCallParts) {}

  async call(request: RpcRequest, params: Params): Promise<RpcAnswer | undefined> {
    const { tools, toolbox, forwarding } = this.parts;
    const shownName = String(params["name"]);
    if (toolbox.has(shownName)) return this.#callOwn(request, shownName, params);
    const entry = await tools.find(shownName);
    if (!entry) return errorAnswer(INVALID_PARAMS, `Unknown tool: ${shownName}`);
    const call = { entry, input: params["arguments"] };
    const sent = entry.name === shownName ? params : { ...params, name: entry.name };
    const answer = await forwarding.forward(entry.upstream, request, sent);
    if (!answer || "error" in answer) return answer;
    const taskId = asText(asParams(answer.result["task"])["taskId"]);
    if (taskId !== undefined) this.#tasks.set(taskId, { upstream: entry.upstream, call });
    return { result: await this.#offload(call, answer.result) };
  }

  /** A request about a task; `false` if its server is not known. */
  async task(request: RpcRequest, params: Params): Promise<RpcAnswer | undefined | false> {
    const task = this.#tasks.get(String(params["taskId"]));
    if (!task) return false;
    const answer = await this.parts.forwarding.forward(task.upstream, request, params);
    if (!answer || "error" in answer || request.method !== "tasks/result") return answer;
    return { result: await this.#offload(task.call, answer.result) };
  }

  async #callOwn({ id }: RpcRequest, name: string, params: Params): Promise<RpcAnswer | undefined> {
    const { toolbox, forwarding } = this.parts;
    const aborted = new AbortController();
    const answer = toolbox.call(name, params["arguments"], aborted.signal);
    const result = await forwarding.cancellable(id, answer, () => {
      aborted.abort();
    });
    return result && { result };
  }

  /** Never fails: what cannot be offloaded is passed through. */
  async #offload({ entry, input }: Call, result: Params): Promise<Params> {
    const { upstream, definition, name: toolName } = entry;
    if (OWN_NAMES.includes(asParams(upstream.initialized?.["serverInfo"])["name"])) return result;
    const schema = definition["outputSchema"];
    try {
      return await offloadAnswer(
        {
          ...{ toolName, input, result },
          outputSchema: schema === undefined ? undefined : asParams(schema),
          policies: [this.parts.policy, upstream.config.contextOffload],
        },
        this.parts.answerOptions(),
      );
    } catch (error) {
      this.parts.note(`an answer of ${toolName} could not be offloaded: ${String(error)}`);
      return result;
    }
  }
}
