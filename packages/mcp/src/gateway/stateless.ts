/**
 * The stateless revision of the protocol, 2026-07-28: every request says who its client is and what it can
 * do. The gateway speaks it and the older ones, in which a connection begins with `initialize`, with its
 * client and with each server, and translates between them here.
 */
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
} from "@modelcontextprotocol/client";
import {
  asParams,
  isParams,
  asText,
  errorAnswer,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  omit,
  RESOURCE_NOT_FOUND,
  UNSUPPORTED_VERSION,
  type Params,
  type RpcAnswer,
} from "./json-rpc.js";

export const STATELESS_VERSION = "2026-07-28";
/** The last revision with a handshake, and those before it. */
export const LAST_HANDSHAKE_VERSION = "2025-11-25";
const HANDSHAKE_VERSIONS = ["2024-11-05", "2025-03-26", "2025-06-18", LAST_HANDSHAKE_VERSION];

/** Deprecated with logging itself, but part of the revision. */
const LOG_LEVEL_META_KEY = "io.modelcontextprotocol/logLevel";

/** How a connection is spoken on: with a session that begins with `initialize`, or without. */
export type Era = "handshake" | "stateless";

/** What a stateless request says of its client. */
export interface Envelope {
  readonly capabilities: Params;
  readonly clientInfo: Params;
  readonly logLevel: string | undefined;
}

/** The envelope of a request; `undefined` for one of an older revision, and an error for one that is wrong. */
export function readEnvelope(
  params: Params | undefined,
): Envelope | { readonly error: object } | undefined {
  const meta = asParams(params?.["_meta"]);
  const version = meta[PROTOCOL_VERSION_META_KEY];
  if (version === undefined) return undefined;
  if (version !== STATELESS_VERSION) {
    const data = { supported: [STATELESS_VERSION], requested: version };
    return { error: { code: UNSUPPORTED_VERSION, message: "Unsupported protocol version", data } };
  }
  const capabilities = meta[CLIENT_CAPABILITIES_META_KEY];
  if (!isParams(capabilities)) {
    const why = `Invalid _meta: ${CLIENT_CAPABILITIES_META_KEY} must be an object`;
    return errorAnswer(INVALID_PARAMS, why) as { readonly error: object };
  }
  return {
    capabilities,
    clientInfo: asParams(meta[CLIENT_INFO_META_KEY]),
    logLevel: asText(meta[LOG_LEVEL_META_KEY]),
  };
}

/** The params with an envelope; those of a stateless client have one already. */
export function withEnvelope(params: Params | undefined, envelope: Envelope): Params {
  const meta = asParams(params?.["_meta"]);
  if (meta[PROTOCOL_VERSION_META_KEY] !== undefined) return params as Params;
  const { capabilities, clientInfo, logLevel } = envelope;
  return {
    ...params,
    _meta: {
      ...meta,
      [PROTOCOL_VERSION_META_KEY]: STATELESS_VERSION,
      [CLIENT_INFO_META_KEY]: clientInfo,
      [CLIENT_CAPABILITIES_META_KEY]: capabilities,
      ...(logLevel === undefined ? {} : { [LOG_LEVEL_META_KEY]: logLevel }),
    },
  };
}

const ENVELOPE_KEYS: readonly string[] = [
  ...[PROTOCOL_VERSION_META_KEY, CLIENT_INFO_META_KEY],
  ...[CLIENT_CAPABILITIES_META_KEY, LOG_LEVEL_META_KEY],
];

/** The params as an older server knows them; the same object if there is no envelope. */
export function withoutEnvelope(params: Params | undefined): Params | undefined {
  const meta = asParams(params?.["_meta"]);
  if (meta[PROTOCOL_VERSION_META_KEY] === undefined) return params;
  // The answers to a request for input, and its state, belong to whoever asked, which is not this server.
  const others = omit(params ?? {}, "_meta", "inputResponses", "requestState");
  const kept = Object.entries(meta).filter(([key]) => !ENVELOPE_KEYS.includes(key));
  if (kept.length > 0) return { ...others, _meta: Object.fromEntries(kept) };
  return Object.keys(others).length > 0 ? others : undefined;
}

/** `initialize` of a client that sends none. */
export function helloOf({ capabilities, clientInfo }: Envelope): Params {
  return { protocolVersion: LAST_HANDSHAKE_VERSION, capabilities, clientInfo };
}

/** The envelope of a client that sent `initialize`. Tasks were something else before, and are left out. */
export function envelopeOf(hello: Params): Envelope {
  const capabilities = omit(asParams(hello["capabilities"]), "tasks", "extensions");
  return { capabilities, clientInfo: asParams(hello["clientInfo"]), logLevel: undefined };
}

/** The version that a client with a handshake is told: the oldest of its servers, since versions are dates. */
export function handshakeVersion(asked: unknown, ofServers: readonly string[]): string {
  const version = [...ofServers].sort()[0] ?? asText(asked) ?? "";
  if (ofServers.length > 0 || HANDSHAKE_VERSIONS.includes(version)) return version;
  return LAST_HANDSHAKE_VERSION;
}

/** The methods whose results say how long they may be kept. */
const CACHEABLE: ReadonlySet<string> = new Set([
  ...["server/discover", "tools/list", "prompts/list"],
  ...["resources/list", "resources/templates/list", "resources/read"],
]);

/** Methods that the stateless revision has no more. */
export const REMOVED_METHODS: ReadonlySet<string> = new Set([
  ...["initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"],
  ...["tasks/result", "tasks/list"],
]);

/** Requests that may be answered with a request for input. */
export const MAY_ASK: ReadonlySet<string> = new Set([
  "tools/call",
  "prompts/get",
  "resources/read",
]);

/** Error codes that a stateless server must not send, and what is sent in their place. */
const REPLACED_CODES: Readonly<Record<number, number>> = {
  [RESOURCE_NOT_FOUND]: INVALID_PARAMS,
  // The request for an elicitation by URL of 2025-11-25.
  [-32042]: INTERNAL_ERROR,
};

/** An answer as a stateless client knows it. */
export function toStateless(method: string, answer: RpcAnswer): RpcAnswer {
  if ("error" in answer) {
    const { code } = answer.error;
    return { error: { ...answer.error, code: REPLACED_CODES[code] ?? code } };
  }
  const { resultType = "complete", ...result } = answer.result;
  if (resultType !== "complete" || !CACHEABLE.has(method))
    return { result: { resultType, ...result } };
  const { ttlMs, cacheScope } = result;
  const isTime = Number.isSafeInteger(ttlMs) && (ttlMs as number) >= 0;
  return {
    result: {
      ...{ resultType, ...result },
      ttlMs: isTime ? ttlMs : 0,
      cacheScope: cacheScope === "public" ? cacheScope : "private",
    },
  };
}

/** An answer as an older client knows it. */
export function toHandshake(answer: RpcAnswer): RpcAnswer {
  if ("error" in answer || answer.result["resultType"] === undefined) return answer;
  return { result: omit(answer.result, "resultType", "ttlMs", "cacheScope") };
}

/** A request for input, in a result; `undefined` for any other answer. */
export function readInputRequest(answer: RpcAnswer | undefined): InputRequest | undefined {
  if (!answer || "error" in answer) return undefined;
  const { resultType, inputRequests, requestState } = answer.result;
  if (resultType !== "input_required") return undefined;
  return { questions: asParams(inputRequests), requestState: asText(requestState) };
}

export interface InputRequest {
  /** Requests to the client, by the server's keys for them. */
  readonly questions: Params;
  /** To be sent back as it is, to this server and with this request only. */
  readonly requestState: string | undefined;
}

/** The capability that a client must have declared to be asked this; `undefined` for what no server may ask. */
export function capabilityFor(method: string): string | undefined {
  return {
    "roots/list": "roots",
    "sampling/createMessage": "sampling",
    "elicitation/create": "elicitation",
  }[method];
}
