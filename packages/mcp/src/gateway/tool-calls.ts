import { AjvJsonSchemaValidator } from "@modelcontextprotocol/client/validators/ajv";
import { createOffloader, DEFAULTS, type Workspace } from "context-offload";
import { shortenAnswer } from "context-offload/mcp";
import { minTokens, type Policy } from "context-offload/policies";
import { artifactUri } from "../artifact-resources.js";
import type { Toolbox } from "../toolbox.js";
import type { Catalog, CatalogEntry } from "./catalog.js";
import type { Forwarding } from "./forwarding.js";
import type { OffloadConfig, ToolPolicy } from "./gateway-config.js";
import {
  asList,
  asParams,
  asText,
  errorAnswer,
  INVALID_PARAMS,
  type Params,
  type RpcAnswer,
  type RpcRequest,
} from "./json-rpc.js";
import type { Upstream } from "./upstream.js";

/** The name that the gateway introduces itself by. */
export const GATEWAY_NAME = "context-offload-gateway";
/** Servers whose answers are short already. */
const OWN_NAMES: readonly unknown[] = [GATEWAY_NAME, "context-offload"];

interface GatewayCall {
  readonly entry: CatalogEntry;
  readonly input: unknown;
}

/** What calls of tools need of the gateway. */
export interface ToolCallParts {
  readonly tools: Catalog;
  readonly toolbox: Toolbox;
  readonly forwarding: Forwarding;
  readonly workspace: Workspace;
  readonly sessionId: string;
  readonly policy: OffloadConfig | undefined;
  readonly isOff: () => Promise<boolean>;
  /** Whether the client's protocol knows `resource_link`. */
  readonly hasLinks: () => boolean;
  readonly note: (text: string) => void;
}

/** Calls of the servers' tools, whose large answers are stored, and of our own. */
export class ToolCalls {
  /** Tasks by the server that runs them, and the call whose answer they bring. */
  readonly #tasks = new Map<string, { readonly upstream: Upstream; readonly call: GatewayCall }>();

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
  async #offload({ entry, input }: GatewayCall, result: Params): Promise<Params> {
    const { upstream, definition, name } = entry;
    if (OWN_NAMES.includes(asParams(upstream.initialized?.["serverInfo"])["name"])) return result;
    const { workspace, sessionId, policy, isOff, hasLinks, note } = this.parts;
    const settings = settingsOf(name, [policy, upstream.config.contextOffload]);
    try {
      if (settings.offload === false || isSmall(result, settings)) return result;
      if (await isOff()) return result;
      const offloader = createOffloader({
        ...{ workspace, sessionId, format: "mcp", onError: "keep", readingTools: "five" },
        policy: policyOf(settings),
      });
      const { namespace } = workspace;
      return await shortenAnswer(offloader, {
        ...{ name, input, result, rejects: validatorOf(definition["outputSchema"]) },
        linkTo: hasLinks()
          ? (artifactId) => ({
              type: "resource_link",
              uri: artifactUri({ namespace, sessionId, artifactId }),
              name: artifactId,
            })
          : undefined,
      });
    } catch (error) {
      note(`an answer of ${name} could not be offloaded: ${String(error)}`);
      return result;
    }
  }
}

/** The last that says something wins: file, tool in the file, server, tool of the server. */
function settingsOf(toolName: string, configs: readonly (OffloadConfig | undefined)[]): ToolPolicy {
  const settings: ToolPolicy = {};
  for (const config of configs) {
    const { tools, ...own } = config ?? {};
    Object.assign(settings, own, Object.hasOwn(tools ?? {}, toolName) ? tools?.[toolName] : {});
  }
  return settings;
}

/**
 * Whether an answer cannot be large, by whatever tokens are counted with: a token is at least a byte. Most
 * answers are small, and it takes longer than the whole call to look at the workspace for one.
 */
function isSmall(result: Params, { minTokens = DEFAULTS.giantTokens }: ToolPolicy): boolean {
  const texts = asList(result["content"]).map((block) => asText(asParams(block)["text"]) ?? "");
  if (texts.some((text) => text.length >= minTokens)) return false;
  return Buffer.byteLength(JSON.stringify(result, undefined, 2)) < minTokens;
}

/** By default the offloader's own, by which only very large answers are offloaded when they arrive. */
function policyOf({ minTokens: threshold }: ToolPolicy): Policy | undefined {
  return threshold === undefined ? undefined : minTokens(threshold);
}

const validator = new AjvJsonSchemaValidator();

/** Says why an output schema rejects structured content; `undefined` for a tool without one. */
function validatorOf(schema: unknown): ((value: unknown) => string | undefined) | undefined {
  if (schema === undefined) return undefined;
  return (value) => {
    try {
      const { valid, errorMessage } = validator.getValidator(asParams(schema))(value);
      return valid ? undefined : `its output schema does not allow a reference: ${errorMessage}`;
    } catch (error) {
      return `its output schema is not valid: ${String(error)}`;
    }
  };
}
