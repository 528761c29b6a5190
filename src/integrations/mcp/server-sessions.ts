import { randomUUID } from "node:crypto";
import { once } from "../../core/lib/once.js";
import type { IntegrationOptions } from "../shared/integration-options.js";

/** What a server's handler is told of a request, in any version of the SDK. */
export interface McpHandlerContext {
  readonly sessionId?: string | undefined;
  /** There for requests over HTTP. */
  readonly requestInfo?: unknown;
  readonly http?: unknown;
  readonly signal?: AbortSignal | undefined;
  readonly mcpReq?: { readonly signal?: AbortSignal | undefined } | undefined;
}

/** Options of `registerReadingTools`. */
export interface ServerOptions extends Omit<
  IntegrationOptions,
  "sessionId" | "acceptReferences" | "offloader"
> {
  /** The session, or how to find it, such as by the user. Default: the transport's, or the process over stdio. */
  readonly sessionId?: string | ((context: McpHandlerContext) => string | undefined) | undefined;
}

/** Over stdio a process serves one client. Handlers and reading tools are made apart and must agree. */
const processSession = once(() => `process-${randomUUID()}`);

/** The session of a request; `undefined` where its client cannot be told from others. */
export function serverSessionId(
  { sessionId }: ServerOptions,
  context: McpHandlerContext,
): string | undefined {
  const named = typeof sessionId === "function" ? sessionId(context) : sessionId;
  const isHttp = (context.requestInfo ?? context.http) !== undefined;
  return (named || undefined) ?? context.sessionId ?? (isHttp ? undefined : processSession());
}

export function contextOf(args: readonly unknown[]): McpHandlerContext {
  return args.at(-1) ?? {};
}

export function signalOf({ signal, mcpReq }: McpHandlerContext): AbortSignal | undefined {
  return signal ?? mcpReq?.signal;
}
