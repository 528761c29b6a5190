import { setTimeout as sleep } from "node:timers/promises";
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
import { INVALID_STATE, type Rounds } from "./rounds.js";
import { readInputRequest, type InputRequest } from "./stateless.js";
import { CallFailedError, type Upstream } from "./upstream.js";

/** What the gateway asks of its client, and for whom. */
export interface ClientQuestions {
  /** The client's answer; an error if it cannot be asked. */
  ask(asker: object, question: Pick<RpcRequest, "method" | "params">): Promise<RpcAnswer>;
  /** Nobody waits for the answers to what this one asked. */
  withdraw(asker: object, reason: string): void;
}

/** More rounds than a request has that ends. */
const MAX_ROUNDS = 10;
/** A server that asks for nothing but another round is not asked again at once. */
const EMPTY_ROUND_MS = 250;

/** The client's open requests, which it may cancel by its own ids. */
export class Forwarding {
  readonly #open = new Map<RpcId, (params: Params) => void>();

  constructor(
    private readonly rounds: Rounds,
    private readonly questions: ClientQuestions,
  ) {}

  /** Passes a request on; `undefined` if the client cancels it. */
  async forward(
    upstream: Upstream,
    request: RpcRequest,
    params: Params | undefined,
    headers?: Readonly<Record<string, string>>,
  ): Promise<RpcAnswer | undefined> {
    if (!upstream.isReady) await upstream.whenReady();
    const { id, method } = request;
    const envelope = this.rounds.envelopeOf(request);
    this.rounds.join(request, upstream);
    if (envelope?.logLevel !== undefined) upstream.setLogLevel(envelope.logLevel);
    // Such a server has given out no state.
    if (upstream.era === "handshake" && params?.["requestState"] !== undefined)
      return INVALID_STATE;
    let sent = params;
    for (let round = 1; ; round++) {
      const { answer, cancel } = upstream.request(method, sent, headers);
      const answered = await this.cancellable(id, answer, cancel);
      const asked = envelope ? undefined : readInputRequest(answered);
      if (!asked) return answered;
      if (round > MAX_ROUNDS) {
        const why = `The server still asks for input after ${MAX_ROUNDS} rounds.`;
        throw new CallFailedError(why, "TOO_MANY_ROUNDS");
      }
      const input = await this.#inputFor(upstream, id, asked);
      if (!input || "error" in input) return input;
      sent = { ...params, ...input.result };
    }
  }

  /** What a stateless server asks for, from a client that is asked by requests. */
  async #inputFor(
    upstream: Upstream,
    id: RpcId,
    { questions, requestState }: InputRequest,
  ): Promise<RpcAnswer | undefined> {
    // An object for each, since the questions of one request are taken back together.
    const asker = { upstream };
    const entries = Object.entries(questions).map(async ([key, value]) => {
      const { method, params } = asParams(value);
      const question = { method: String(method), params: asParams(params) };
      return [key, await this.questions.ask(asker, question)] as const;
    });
    const answers = await this.cancellable(id, Promise.all(entries), ({ reason }) => {
      this.questions.withdraw(asker, String(reason));
    });
    if (!answers) return undefined;
    if (answers.length === 0) await sleep(EMPTY_ROUND_MS);
    const inputResponses: Record<string, Params> = {};
    for (const [key, answer] of answers) {
      if ("error" in answer) return answer;
      inputResponses[key] = answer.result;
    }
    return {
      result: { inputResponses, ...(requestState === undefined ? {} : { requestState }) },
    };
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
  /** The server that asks, or whoever else does. */
  readonly asker: object;
  /** The server's own id. */
  readonly id: RpcId | undefined;
  readonly progressToken: unknown;
  answer(answer: RpcAnswer): void;
  progress?(params: Params): void;
}

/**
 * Requests of servers to the client: sampling, elicitation, roots and what may come. Servers choose
 * their ids and progress tokens independently of each other, so the client sees the gateway's own.
 */
export class ServerRequests implements ClientQuestions {
  readonly #open = new Map<string, OpenRequest>();
  #nextId = 1;

  constructor(private readonly sendToClient: (message: RpcMessage) => void) {}

  forward(upstream: Upstream, request: RpcRequest): void {
    const meta = asParams(request.params?.["_meta"]);
    const { progressToken } = meta;
    const shownId = this.#add({
      ...{ asker: upstream, id: request.id, progressToken },
      answer: (answer) => {
        upstream.send(respond(request.id, answer));
      },
      progress: (params) => {
        upstream.send(notification("notifications/progress", { ...params, progressToken }));
      },
    });
    const params =
      progressToken === undefined
        ? request.params
        : { ...request.params, _meta: { ...meta, progressToken: shownId } };
    this.sendToClient({ ...request, id: shownId, ...(params ? { params } : {}) });
  }

  ask(
    asker: object,
    { method, params }: Pick<RpcRequest, "method" | "params">,
  ): Promise<RpcAnswer> {
    return new Promise((resolve) => {
      const id = this.#add({ asker, id: undefined, progressToken: undefined, answer: resolve });
      this.sendToClient({ jsonrpc: "2.0", id, method, ...(params ? { params } : {}) });
    });
  }

  /** Passes the client's answer on. */
  answer(shownId: RpcId, answer: RpcAnswer): void {
    const open = this.#open.get(String(shownId));
    this.#open.delete(String(shownId));
    open?.answer(answer);
  }

  /** Passes the client's progress on; false if it belongs to no request of a server. */
  progress(params: Params): boolean {
    const open = this.#open.get(String(params["progressToken"]));
    open?.progress?.(params);
    return open !== undefined;
  }

  /** A server does not need an answer any more. */
  cancel(upstream: Upstream, params: Params): void {
    this.#cancel((open) => open.asker === upstream && open.id === params["requestId"], params);
  }

  /** Whoever asked is gone, so that nobody waits for the client's answers. */
  withdraw(asker: object, reason: string): void {
    this.#cancel((open) => open.asker === asker, { reason });
  }

  #add(request: OpenRequest): string {
    const shownId = `server-${this.#nextId++}`;
    this.#open.set(shownId, request);
    return shownId;
  }

  #cancel(isMeant: (open: OpenRequest) => boolean, params: Params): void {
    for (const [shownId, open] of [...this.#open]) {
      if (!isMeant(open)) continue;
      this.#open.delete(shownId);
      this.sendToClient(notification("notifications/cancelled", { ...params, requestId: shownId }));
    }
  }
}
