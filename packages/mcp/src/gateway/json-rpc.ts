/** JSON-RPC messages as they are on the wire. The gateway reads only what it must change. */
export type RpcId = string | number;
export type Params = Readonly<Record<string, unknown>>;

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

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

export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;
export const RESOURCE_NOT_FOUND = -32002;

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

export function errorAnswer(code: number, message: string): RpcAnswer {
  return { error: { code, message } };
}

export function asParams(value: unknown): Params {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Params)
    : {};
}

export function asText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
