import { AjvJsonSchemaValidator } from "@modelcontextprotocol/client/validators/ajv";
import { createOffloader, DEFAULTS } from "context-offload";
import { shortenAnswer } from "context-offload/mcp";
import { minTokens, type Policy } from "context-offload/policies";
import { artifactUri } from "../artifact-resources.js";
import type { ReadingToolList } from "../toolbox.js";
import type { Catalog, CatalogEntry } from "./catalog.js";
import type { Forwarding } from "./forwarding.js";
import type { OffloadConfig, ToolPolicy } from "./gateway-config.js";
import {
  asList,
  asParams,
  isParams,
  asText,
  errorAnswer,
  INVALID_PARAMS,
  type Params,
  type RpcAnswer,
  type RpcRequest,
} from "./json-rpc.js";
import { parameterHeaders } from "./parameter-headers.js";
import type { Places } from "./places.js";
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
  readonly forwarding: Forwarding;
  readonly places: Places;
  /** The names of the reading tools that are answered. */
  readonly ownNames: ReadonlySet<string>;
  readonly readingTools: ReadingToolList;
  readonly policy: OffloadConfig | undefined;
  readonly isOff: () => Promise<boolean>;
  /** Whether the client's protocol knows `resource_link`. */
  readonly hasLinks: (request: RpcRequest) => boolean;
  readonly note: (text: string) => void;
}

/** Calls of the servers' tools, whose large answers are stored, and of our own. */
export class ToolCalls {
  /** Tasks by the server that runs them, and the call whose answer they bring. */
  readonly #tasks = new Map<string, { readonly upstream: Upstream; readonly call: GatewayCall }>();

  constructor(private readonly parts: ToolCallParts) {}

  async call(request: RpcRequest, params: Params): Promise<RpcAnswer | undefined> {
    const { tools, ownNames, forwarding } = this.parts;
    const shownName = String(params["name"]);
    if (ownNames.has(shownName)) return this.#callOwn(request, shownName, params);
    const entry = await tools.find(shownName);
    if (!entry) return errorAnswer(INVALID_PARAMS, `Unknown tool: ${shownName}`);
    const call = { entry, input: params["arguments"] };
    const sent = entry.name === shownName ? params : { ...params, name: entry.name };
    const { upstream, definition } = entry;
    const headers = upstream.hasHeaders ? parameterHeaders(definition, call.input) : undefined;
    const answer = await forwarding.forward(upstream, request, sent, headers);
    if (!answer || "error" in answer) return answer;
    const { task, resultType, taskId: ownId } = answer.result;
    // In 2025-11-25, and in the extension of 2026-07-28.
    const taskId = asText(resultType === "task" ? ownId : asParams(task)["taskId"]);
    if (taskId !== undefined) this.#tasks.set(taskId, { upstream, call });
    return { result: await this.#offload(request, call, answer.result) };
  }

  /** A request about a task; `false` if its server is not known. */
  async task(request: RpcRequest, params: Params): Promise<RpcAnswer | undefined | false> {
    const task = this.#tasks.get(String(params["taskId"]));
    if (!task) return false;
    const answer = await this.parts.forwarding.forward(task.upstream, request, params);
    if (!answer || "error" in answer) return answer;
    if (request.method === "tasks/result") {
      return { result: await this.#offload(request, task.call, answer.result) };
    }
    // A task of 2026-07-28 that is done has its result with it.
    const { result } = answer.result;
    if (request.method !== "tasks/get" || !isParams(result)) return answer;
    return {
      result: { ...answer.result, result: await this.#offload(request, task.call, result) },
    };
  }

  async #callOwn(
    request: RpcRequest,
    name: string,
    params: Params,
  ): Promise<RpcAnswer | undefined> {
    const { places, forwarding } = this.parts;
    const { id } = request;
    const { toolbox } = await places.of(request);
    const aborted = new AbortController();
    const answer = toolbox.call(name, params["arguments"], aborted.signal);
    const result = await forwarding.cancellable(id, answer, () => {
      aborted.abort();
    });
    return result && { result };
  }

  /** Never fails: what cannot be offloaded is passed through. */
  async #offload(
    request: RpcRequest,
    { entry, input }: GatewayCall,
    result: Params,
  ): Promise<Params> {
    const { upstream, definition, name } = entry;
    if (OWN_NAMES.includes(upstream.serverInfo["name"])) return result;
    const { places, policy, readingTools, isOff, hasLinks, note } = this.parts;
    const settings = settingsOf(name, [policy, upstream.config.contextOffload]);
    try {
      if (settings.offload === false || isSmall(result, settings)) return result;
      if (await isOff()) return result;
      const { workspace, sessionId, where } = await places.of(request);
      const offloader = createOffloader({
        ...{ workspace, sessionId, format: "mcp", onError: "keep" },
        readingTools: readingTools === "none" ? undefined : readingTools,
        policy: policyOf(settings),
      });
      const { namespace } = workspace;
      return await shortenAnswer(offloader, {
        ...{ name, input, result, rejects: validatorOf(definition["outputSchema"]) },
        linkTo: hasLinks(request)
          ? (artifactId) => ({
              type: "resource_link",
              uri: artifactUri({ namespace, sessionId, artifactId }),
              name: artifactId,
              ...(where === undefined ? {} : { description: `Stored in ${where}` }),
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
type Validate = (value: unknown) => string | undefined;
/** A schema takes milliseconds to compile. */
const validators = new WeakMap<Params, Validate>();

/** Says why an output schema rejects structured content; `undefined` for a tool without one. */
function validatorOf(schema: unknown): Validate | undefined {
  if (schema === undefined) return undefined;
  const known = validators.get(asParams(schema));
  if (known) return known;
  const validate = compile(asParams(schema));
  validators.set(asParams(schema), validate);
  return validate;
}

function compile(schema: Params): Validate {
  try {
    const check = validator.getValidator(schema);
    return (value) => {
      const { valid, errorMessage } = check(value);
      return valid ? undefined : `its output schema does not allow a reference: ${errorMessage}`;
    };
  } catch (error) {
    return () => `its output schema is not valid: ${String(error)}`;
  }
}
