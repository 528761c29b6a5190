import {
  type Params,
  type RpcAnswer,
  type RpcId,
  type RpcRequest,
  asParams,
  notification,
  respond,
  type RpcMessage,
} from "./json-rpc.js";
import type { Upstream } from "./upstream.js";

/** The client's open requests, which it may cancel by its own ids. */
export class Forwarding {
  readonly #open = new Map<RpcId, (params: Params) => void>();

  /** Passes a request on; `undefined` if the client cancels it. */
  async forward(
    upstream: Upstream,
    { id, method }: RpcRequest,
    params: Params | undefined,
  ): Promise<RpcAnswer | undefined> {
    if (!upstream.isReady) await upstream.whenReady();
    const sent = upstream.request(method, params);
    return this.cancellable(id, sent.answer, sent.cancel);
  }

  /** What is answered, or `undefined` as soon as the client cancels the request. */
  async cancellable<T>(
    id: RpcId,
    answer: Promise<T>,
    cancel: (params: Params) => void,
  ): Promise<T | undefined> {
    const cancelled = new Promise<undefined>((resolve) => {
      this.#open.set(id, (params) => {
        cancel(params);
        resolve(undefined);
      });
    });
    try {
      return await Promise.race([answer, cancelled]);
    } finally {
      this.#open.delete(id);
    }
  }

  cancel(params: Params): void {
    this.#open.get(params["requestId"] as RpcId)?.(params);
  }
}

interface OpenRequest {
  readonly upstream: Upstream;
  readonly id: RpcId;
  readonly progressToken: unknown;
}

/**
 * Requests of servers to the client: sampling, elicitation, roots and what may come. Servers choose
 * their ids and progress tokens independently of each other, so the client sees the gateway's own.
 */
export class ServerRequests {
  readonly #open = new Map<string, OpenRequest>();
  #nextId = 1;

  constructor(private readonly sendToClient: (message: RpcMessage) => void) {}

  forward(upstream: Upstream, request: RpcRequest): void {
    const shownId = `server-${this.#nextId++}`;
    const meta = asParams(request.params?.["_meta"]);
    const { progressToken } = meta;
    this.#open.set(shownId, { upstream, id: request.id, progressToken });
    const params =
      progressToken === undefined
        ? request.params
        : { ...request.params, _meta: { ...meta, progressToken: shownId } };
    this.sendToClient({ ...request, id: shownId, ...(params ? { params } : {}) });
  }

  /** Passes the client's answer on. */
  answer(shownId: RpcId, answer: RpcAnswer): void {
    const open = this.#open.get(String(shownId));
    this.#open.delete(String(shownId));
    open?.upstream.send(respond(open.id, answer));
  }

  /** Passes the client's progress on; false if it belongs to no request of a server. */
  progress(params: Params): boolean {
    const open = this.#open.get(String(params["progressToken"]));
    if (!open) return false;
    const { progressToken } = open;
    open.upstream.send(notification("notifications/progress", { ...params, progressToken }));
    return true;
  }

  /** A server does not need an answer any more. */
  cancel(upstream: Upstream, params: Params): void {
    for (const [shownId, open] of this.#open) {
      if (open.upstream === upstream && open.id === params["requestId"]) {
        this.#open.delete(shownId);
        this.sendToClient(
          notification("notifications/cancelled", { ...params, requestId: shownId }),
        );
      }
    }
  }

  /** A server is gone, so that nobody waits for the client's answers. */
  drop(upstream: Upstream, reason: string): void {
    for (const open of [...this.#open.values()]) {
      if (open.upstream === upstream) this.cancel(upstream, { requestId: open.id, reason });
    }
  }
}
