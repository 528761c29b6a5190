import { createHash, randomUUID } from "node:crypto";
import {
  asParams,
  isParams,
  errorAnswer,
  INVALID_PARAMS,
  METHOD_NOT_FOUND,
  omit,
  type Params,
  type RpcAnswer,
  type RpcId,
  type RpcRequest,
} from "./json-rpc.js";
import { capabilityFor, MAY_ASK, type Envelope } from "./stateless.js";

/** Something that the client is asked, and who waits for it. */
interface Question {
  readonly method: string;
  readonly params: Params | undefined;
  /** Who asks: a server, which may take it back. */
  readonly asker: object;
  readonly id: RpcId | undefined;
  resolve(answer: RpcAnswer): void;
}

/** The work on one request of a stateless client, over all of its rounds. */
interface Work {
  /** The request, under an id that no other one has in this process. */
  readonly request: RpcRequest;
  readonly envelope: Envelope;
  readonly digest: string;
  /** The servers that have a part in it. */
  readonly askers: Set<object>;
  readonly open: Map<string, Question>;
  answer: Promise<RpcAnswer | undefined>;
  isDone: boolean;
  /** The client was sent questions, and has not come back. */
  onQuestion: () => void;
}

/** Work that waits for the client. */
interface Held {
  readonly work: Work;
  readonly expiry: NodeJS.Timeout;
}

export interface RoundsOptions {
  /** How long work waits for a client that was asked something. */
  readonly heldMs: number;
  /** Ends the work of a client that does not come back, by the id of the work. */
  readonly cancel: (params: Params) => void;
}

export const INVALID_STATE = errorAnswer(INVALID_PARAMS, "Invalid or expired requestState");

/** More work that waits than a client has that means well. */
const MAX_HELD = 1_000;

/**
 * Requests of stateless clients, which can only be asked something in the answer to a request: the
 * client then sends the request again, with its answers. Meanwhile the work goes on here.
 *
 * The state that the client sends back is untrusted. It holds nothing: it is a random name for work that waits
 * here, which is given out once, and taken once, for the same request.
 */
export class Rounds {
  readonly #prefix = `${randomUUID()}.`;
  readonly #held = new Map<string, Held>();
  readonly #works = new Map<RpcRequest, Work>();
  /** The work of each request that the client waits for, by the client's id. */
  readonly #byClientId = new Map<RpcId, Work>();
  /** What was asked while there was no request to answer. */
  readonly #waiting = new Set<Question>();
  #next = 1;

  constructor(private readonly options: RoundsOptions) {}

  /** One round: the answer, or a request for input. `undefined` if the client cancelled it. */
  async run(
    request: RpcRequest,
    envelope: Envelope,
    start: (request: RpcRequest) => Promise<RpcAnswer | undefined>,
  ): Promise<RpcAnswer | undefined> {
    const { requestState: state } = request.params ?? {};
    if (state !== undefined && typeof state !== "string") return INVALID_STATE;
    const isOurs = state?.startsWith(this.#prefix) === true;
    const work = isOurs ? this.#resume(state, request) : this.#begin(request, envelope, start);
    if (!work) return INVALID_STATE;
    this.#byClientId.set(request.id, work);
    try {
      while (await this.#isAsked(work)) {
        // A question may have been taken back meanwhile.
        if (work.open.size > 0) return this.#hold(work);
      }
      return await work.answer;
    } finally {
      if (this.#byClientId.get(request.id) === work) this.#byClientId.delete(request.id);
    }
  }

  /** The id of the work on the client's request. */
  workId(clientId: RpcId): RpcId {
    return this.#byClientId.get(clientId)?.request.id ?? clientId;
  }

  /** A server has a part in the work on a request, so that what it asks meanwhile belongs to it. */
  join(request: RpcRequest, asker: object): void {
    const work = this.#works.get(request);
    if (!work || !MAY_ASK.has(request.method)) return;
    work.askers.add(asker);
    for (const question of this.#waiting) {
      if (question.asker !== asker) continue;
      this.#waiting.delete(question);
      this.#put(work, question);
    }
  }

  /** Whether a request whose client wants to read messages of this level is open at a server. */
  wantsLog(asker: object, isWanted: (logLevel: string) => boolean): boolean {
    return [...this.#works.values()].some(
      ({ askers, envelope: { logLevel } }) =>
        logLevel !== undefined && askers.has(asker) && isWanted(logLevel),
    );
  }

  envelopeOf(request: RpcRequest): Envelope | undefined {
    return this.#works.get(request)?.envelope;
  }

  /**
   * Asks the client for a server, or for the gateway: in the answer to the request that was last made of it, or to
   * the next one.
   */
  ask(
    asker: object,
    { id, method, params }: Pick<RpcRequest, "method" | "params"> & Partial<RpcRequest>,
  ): Promise<RpcAnswer> {
    return new Promise((resolve) => {
      const question = { method, params, asker, id, resolve };
      const work = [...this.#works.values()].findLast(({ askers }) => askers.has(asker));
      if (work) this.#put(work, question);
      else this.#waiting.add(question);
    });
  }

  /** A server does not need an answer any more, or is gone. */
  withdraw(asker: object, _reason?: string, id?: RpcId): void {
    const isMeant = (question: Question): boolean =>
      question.asker === asker && (id === undefined || question.id === id);
    for (const question of this.#waiting) if (isMeant(question)) this.#waiting.delete(question);
    for (const { open } of this.#works.values()) {
      for (const [key, question] of open) if (isMeant(question)) open.delete(key);
    }
  }

  /** Nothing is waited for any more. */
  close(): void {
    for (const { expiry } of this.#held.values()) clearTimeout(expiry);
    this.#held.clear();
  }

  #begin(
    { method, params }: RpcRequest,
    envelope: Envelope,
    start: (request: RpcRequest) => Promise<RpcAnswer | undefined>,
  ): Work {
    const request: RpcRequest = {
      ...{ jsonrpc: "2.0", id: `work-${this.#next++}`, method },
      ...(params ? { params } : {}),
    };
    const work: Work = {
      ...{ request, envelope, digest: digestOf(method, params) },
      ...{ askers: new Set(), open: new Map(), isDone: false },
      answer: Promise.resolve(undefined),
      onQuestion: () => undefined,
    };
    this.#works.set(request, work);
    work.answer = start(request).finally(() => {
      work.isDone = true;
      this.#works.delete(request);
    });
    work.answer.catch(() => undefined);
    return work;
  }

  /** The work that a state names, with the client's answers given to whoever asked. */
  #resume(state: string, { method, params }: RpcRequest): Work | undefined {
    const held = this.#held.get(state);
    if (held?.work.digest !== digestOf(method, params)) return undefined;
    this.#held.delete(state);
    clearTimeout(held.expiry);
    const { work } = held;
    const responses = asParams(params?.["inputResponses"]);
    for (const [key, question] of work.open) {
      const response = Object.hasOwn(responses, key) ? responses[key] : undefined;
      if (!isParams(response)) continue;
      work.open.delete(key);
      question.resolve({ result: response });
    }
    return work;
  }

  /** Whether there is something to ask before there is an answer. */
  async #isAsked(work: Work): Promise<boolean> {
    if (work.isDone) return false;
    // What was not answered is asked again.
    if (work.open.size > 0) return true;
    const asked = new Promise<boolean>((resolve) => {
      work.onQuestion = () => {
        resolve(true);
      };
    });
    return Promise.race([
      asked,
      work.answer.then(
        () => false,
        () => false,
      ),
    ]);
  }

  #hold(work: Work): RpcAnswer {
    const state = this.#prefix + randomUUID();
    const expiry = setTimeout(() => {
      this.#drop(state);
    }, this.options.heldMs).unref();
    this.#held.set(state, { work, expiry });
    const [oldest] = this.#held.keys();
    if (this.#held.size > MAX_HELD && oldest !== undefined) this.#drop(oldest);
    const questions = [...work.open].map(([key, { method, params }]) => [
      key,
      { method, ...(params ? { params } : {}) },
    ]);
    const inputRequests = Object.fromEntries(questions) as Params;
    return { result: { resultType: "input_required", inputRequests, requestState: state } };
  }

  #drop(state: string): void {
    const held = this.#held.get(state);
    if (!held) return;
    this.#held.delete(state);
    clearTimeout(held.expiry);
    const reason = "The client did not come back with the input that it was asked for";
    this.options.cancel({ requestId: held.work.request.id, reason });
  }

  #put(work: Work, question: Question): void {
    const capability = capabilityFor(question.method);
    if (capability === undefined || !work.envelope.capabilities[capability]) {
      const why = `The client cannot be asked for ${question.method}`;
      question.resolve(errorAnswer(METHOD_NOT_FOUND, why));
      return;
    }
    work.open.set(`question-${this.#next++}`, question);
    work.onQuestion();
  }
}

/** What makes a request the same one in its next round. */
function digestOf(method: string, params: Params | undefined): string {
  const own = omit(params ?? {}, "_meta", "inputResponses", "requestState");
  return createHash("sha256")
    .update(JSON.stringify([method, own]))
    .digest("hex");
}
