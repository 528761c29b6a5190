import type { Params, RpcAnswer, RpcId, RpcRequest } from "./json-rpc.js";
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
