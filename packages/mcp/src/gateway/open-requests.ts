import type { RpcAnswer, RpcId } from "./json-rpc.js";

interface Waiting {
  readonly resolve: (answer: RpcAnswer) => void;
  readonly reject: (error: Error) => void;
}

/** The requests that a server has not answered yet. */
export class OpenRequests {
  #nextId = 1;
  readonly #waiting = new Map<RpcId, Waiting>();

  get size(): number {
    return this.#waiting.size;
  }

  add(): { readonly id: RpcId; readonly answer: Promise<RpcAnswer> } {
    const id = this.#nextId++;
    const answer = new Promise<RpcAnswer>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
    });
    return { id, answer };
  }

  answer(id: RpcId, answer: RpcAnswer): void {
    this.#take(id)?.resolve(answer);
  }

  fail(id: RpcId, error: Error): void {
    this.#take(id)?.reject(error);
  }

  /** Forgets a request that nobody waits for any more; whether it was still open. */
  drop(id: RpcId): boolean {
    return this.#waiting.delete(id);
  }

  failAll(error: Error): void {
    const open = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of open) reject(error);
  }

  #take(id: RpcId): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }
}
