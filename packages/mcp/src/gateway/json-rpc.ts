/** JSON-RPC messages as they are on the wire. The gateway reads only what it must change. */
export type RpcId = string | number;
export type Params = Readonly<Record<string, unknown>>;

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** What the gateway's own errors are told apart by, as `data.code`. */
export type FailureCode =
  | "SERVER_UNAVAILABLE"
  | "CALL_TIMED_OUT"
  | "TOO_MANY_ROUNDS"
  | "MESSAGE_TOO_LARGE"
  | "MALFORMED_ANSWER"
  | "MALFORMED_REQUEST";

export interface RpcRequest {
  readonly jsonrpc: "2.0";
  readonly id: RpcId;
  readonly method: string;
  readonly params?: Params;
}

export interface RpcNotification {
  readonly jsonrpc: "2.0";
  readonly method: string;
  readonly params?: Params;
}

/** What a request is answered with. */
export type RpcAnswer = { readonly result: Params } | { readonly error: RpcError };

export type RpcResponse = { readonly jsonrpc: "2.0"; readonly id: RpcId } & RpcAnswer;

export type RpcMessage = RpcRequest | RpcNotification | RpcResponse;

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;
export const RESOURCE_NOT_FOUND = -32002;
export const UNSUPPORTED_VERSION = -32022;

/** A value that has an id, but is neither a request nor an answer. */
export interface MalformedRequest {
  readonly malformedId: RpcId;
}

/** What the sender of a malformed request is told. */
export function rejectRequest({ malformedId }: MalformedRequest): RpcResponse {
  const why = "A request must have a method, and params that are an object or omitted.";
  return respond(malformedId, errorAnswer(INVALID_REQUEST, why, "MALFORMED_REQUEST"));
}

/**
 * The messages in a JSON value: one, or several in an array, as the protocol of 2025-03-26 allows. What is
 * none is left out. An answer that is malformed becomes an error, since somebody waits for it.
 */
export function readMessages(value: unknown): readonly (RpcMessage | MalformedRequest)[] {
  return (Array.isArray(value) ? value : [value]).flatMap((item) => readMessage(item) ?? []);
}

function readMessage(value: unknown): RpcMessage | MalformedRequest | undefined {
  const message = asParams(value);
  const { id, method, params } = message;
  const hasId = typeof id === "string" || typeof id === "number";
  if (method === undefined) return hasId ? respond(id, readAnswer(message)) : undefined;
  const isValid =
    message["jsonrpc"] === "2.0" &&
    typeof method === "string" &&
    (params === undefined || asParams(params) === params) &&
    (hasId || id === undefined);
  if (isValid) return value as RpcMessage;
  return hasId ? { malformedId: id } : undefined;
}

function readAnswer({ result, error }: Params): RpcAnswer {
  const { code, message } = asParams(error);
  if (typeof code === "number" && typeof message === "string") {
    return { error: error as RpcError };
  }
  if (error === undefined || error === null) {
    const params = asParams(result);
    if (params === result) return { result: params };
  }
  return malformedAnswer("it has neither a result that is an object nor an error with a code");
}

export function malformedAnswer(why: string): RpcAnswer {
  return errorAnswer(INTERNAL_ERROR, `The answer is malformed: ${why}.`, "MALFORMED_ANSWER");
}

const ID = String.raw`"id"\s*:\s*(\d{1,15}|"[^"\\]{1,100}")`;
const VERSION = String.raw`"jsonrpc"\s*:\s*"2\.0"`;
const BODY = String.raw`"(result|error|method)"\s*:`;
const ID_AT_START = new RegExp(
  String.raw`^\s*\{\s*(?:${VERSION}\s*,\s*)?${ID}\s*,\s*(?:${VERSION}\s*,\s*)?${BODY}`,
);
const BODY_AT_START = new RegExp(String.raw`^\s*\{\s*(?:${VERSION}\s*,\s*)?${BODY}`);
const ID_AT_END = new RegExp(String.raw`,\s*${ID}\s*(?:,\s*${VERSION}\s*)?\}\s*$`);
/** Where the id of a message stands, if it is not in the middle. */
const EDGE_CHARS = 300;

/** The id of a line that looks like a message but cannot be read, as its first or its last field. */
export function guessId(
  lineStart: string,
  lineEnd: string,
): { readonly id: RpcId; readonly isAnswer: boolean } | undefined {
  const start = lineStart.slice(0, EDGE_CHARS);
  const [, first, firstBody] = ID_AT_START.exec(start) ?? [];
  const body = firstBody ?? BODY_AT_START.exec(start)?.[1];
  const id = first ?? ID_AT_END.exec(lineEnd.slice(-EDGE_CHARS))?.[1];
  if (id === undefined || body === undefined) return undefined;
  return { id: JSON.parse(id) as RpcId, isAnswer: body !== "method" };
}

export function isRequest(message: RpcMessage): message is RpcRequest {
  return "method" in message && "id" in message;
}

export function isNotification(message: RpcMessage): message is RpcNotification {
  return "method" in message && !("id" in message);
}

export function notification(method: string, params?: Params): RpcNotification {
  return { jsonrpc: "2.0", method, ...(params ? { params } : {}) };
}

export function respond(id: RpcId, answer: RpcAnswer): RpcResponse {
  return "error" in answer
    ? { jsonrpc: "2.0", id, error: answer.error }
    : { jsonrpc: "2.0", id, result: answer.result };
}

export function errorAnswer(code: number, message: string, failure?: FailureCode): RpcAnswer {
  return { error: { code, message, ...(failure ? { data: { code: failure } } : {}) } };
}

export function isParams(value: unknown): value is Params {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function asParams(value: unknown): Params {
  return isParams(value) ? value : {};
}

/** The same without these fields. */
export function omit(params: Params, ...names: readonly string[]): Params {
  return Object.fromEntries(Object.entries(params).filter(([name]) => !names.includes(name)));
}

export function asText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
