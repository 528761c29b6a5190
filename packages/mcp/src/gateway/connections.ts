import { AsyncLocalStorage } from "node:async_hooks";
import type { ChildProcessByStdio } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import {
  PROTOCOL_VERSION_META_KEY,
  SSEClientTransport,
  SseError,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import spawn from "cross-spawn";
import type { HttpServerConfig, ServerConfig, StdioServerConfig } from "./gateway-config.js";
import {
  asParams,
  asText,
  guessId,
  isRequest,
  malformedAnswer,
  respond,
  type FailureCode,
  type RpcMessage,
} from "./json-rpc.js";
import { LineReader, parseLine } from "./lines.js";

export interface ConnectionEvents {
  /** A JSON value, which need not be a message. */
  onMessage(value: unknown): void;
  /** The server cannot be talked to any more. */
  onEnd(reason: string, failure?: FailureCode): void;
  onNote(text: string): void;
}

/** A connection to a server, not yet started. */
export interface Connection {
  start(): Promise<void>;
  /**
   * Rejects if the message cannot be sent, and as soon as it is certain that a request has no answer. Headers are
   * for servers at an address.
   */
  send(message: RpcMessage, headers?: Readonly<Record<string, string>>): Promise<void>;
  setProtocolVersion(version: string): void;
  /** What the server wrote to its standard error last, to explain why it ended. */
  lastWords(): string;
  /** Ends the connection, and the server's process if it was started for it. Never rejects. */
  stop(): Promise<void>;
}

export function openConnection(
  server: ServerConfig,
  maxMessageBytes: number,
  events: ConnectionEvents,
): Connection {
  const onTooLarge = (): void => {
    const limit = `it sent a message of more than ${maxMessageBytes} bytes (maxMessageBytes)`;
    events.onEnd(limit, "MESSAGE_TOO_LARGE");
  };
  return "url" in server
    ? connectHttp(server, limitMessages(maxMessageBytes, onTooLarge), events)
    : new ServerProcess(server, maxMessageBytes, onTooLarge, events);
}

type ServerChild = ChildProcessByStdio<Writable, Readable, Readable>;

const LAST_WORDS_CHARS = 400;
/** How long output may still come after a server has ended or closed one of its streams. */
const LAST_OUTPUT_MS = 500;
/** A client that ends waits 2 s for the gateway, which must have ended its servers by then. */
const PATIENCE_MS = { SIGTERM: 800, SIGKILL: 1_300 } as const;

/** A server that the gateway starts, with a message on each line of its standard streams. */
class ServerProcess implements Connection {
  #child: ServerChild | undefined;
  #words = "";
  #isEnded = false;
  readonly #reader: LineReader;

  constructor(
    private readonly server: StdioServerConfig,
    maxMessageBytes: number,
    onTooLong: () => void,
    private readonly events: ConnectionEvents,
  ) {
    const onLine = (line: string): void => {
      this.#receive(line);
    };
    this.#reader = new LineReader(maxMessageBytes, { onLine, onTooLong });
  }

  start(): Promise<void> {
    const { command, args = [], env, cwd } = this.server;
    const child = spawn(command, [...args], {
      ...{ env: { ...process.env, ...env }, cwd, stdio: "pipe", windowsHide: true },
    }) as ServerChild;
    this.#child = child;
    child.stdout.on("data", (chunk: Buffer) => {
      this.#reader.feed(chunk);
    });
    child.stderr.on("data", (chunk: Buffer) => {
      process.stderr.write(chunk);
      this.#words = (this.#words + chunk.toString("utf8")).slice(-LAST_WORDS_CHARS);
    });
    // Processes that the server has started may hold its streams open for ever.
    const endSoon = (): void => {
      setTimeout(() => {
        this.#end();
      }, LAST_OUTPUT_MS).unref();
    };
    child.once("exit", endSoon);
    for (const stream of [child.stdin, child.stdout]) stream.on("error", endSoon);
    child.stdout.once("end", endSoon);
    child.once("close", () => {
      this.#end();
    });
    return new Promise((resolve, reject) => {
      child.once("spawn", resolve).on("error", reject);
    });
  }

  send(message: RpcMessage): Promise<void> {
    return new Promise((resolve) => {
      // What cannot be written is lost with the server.
      this.#child?.stdin.write(`${JSON.stringify(message)}\n`, () => {
        resolve();
      });
    });
  }

  setProtocolVersion(): void {
    // Only HTTP says it with each message.
  }

  lastWords(): string {
    return this.#words.trim();
  }

  /** The end of its input asks a server to end; one that does not is made to. */
  async stop(): Promise<void> {
    const child = this.#child;
    if (child?.pid === undefined) return;
    if (child.exitCode === null && child.signalCode === null) {
      const exited = new Promise((resolve) => child.once("exit", resolve));
      child.stdin.end();
      child.stdout.removeAllListeners("data").resume();
      const timers = Object.entries(PATIENCE_MS).map(([signal, ms]) =>
        setTimeout(() => child.kill(signal as keyof typeof PATIENCE_MS), ms),
      );
      await exited;
      for (const timer of timers) clearTimeout(timer);
    }
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
  }

  #receive(line: string): void {
    const value = parseLine(line);
    if (value !== undefined) {
      this.events.onMessage(value);
      return;
    }
    // Anything else on standard output is noise, such as a log.
    const { id, isAnswer } = guessId(line, line) ?? {};
    if (id === undefined || !isAnswer) return;
    this.events.onMessage(respond(id, malformedAnswer("it is not valid JSON")));
  }

  #end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    const words = this.lastWords();
    this.events.onEnd(words === "" ? "it ended" : `it ended. Its last output: ${words}`);
  }
}

/** One request and the response to it. */
interface Exchange {
  isStream: boolean;
}
const currentExchange = new AsyncLocalStorage<Exchange>();

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

function connectHttp(
  { url, headers, type }: HttpServerConfig,
  fetchLimited: Fetch,
  events: ConnectionEvents,
): Connection {
  const options = { requestInit: { headers: { ...headers } }, fetch: fetchLimited };
  const transport =
    type === "sse"
      ? // eslint-disable-next-line @typescript-eslint/no-deprecated -- Servers of 2024 speak nothing else.
        new SSEClientTransport(new URL(url), options)
      : new StreamableHTTPClientTransport(new URL(url), options);
  transport.onmessage = (message) => {
    events.onMessage(message);
  };
  transport.onerror = (error) => {
    // Answers come on one stream, which is not opened again for the same session.
    if (error instanceof SseError) events.onEnd(error.message);
    else events.onNote(error.message);
  };
  transport.onclose = () => {
    events.onEnd("it ended");
  };
  /** What ends the response to each stateless request. */
  const cancels = new Map<unknown, AbortController>();
  const send: Connection["send"] = async (message, headers) => {
    if (type === "sse") return transport.send(message);
    const http = transport as StreamableHTTPClientTransport;
    if (!isRequest(message)) {
      // In the stateless revision, a request is cancelled by closing its response.
      const cancelled = asParams("method" in message ? message.params : {})["requestId"];
      const cancel = cancels.get(cancelled);
      if (!cancel) return http.send(message);
      cancel.abort();
      return;
    }
    const { id, params } = message;
    const isStateless = asParams(params?.["_meta"])[PROTOCOL_VERSION_META_KEY] !== undefined;
    const cancel = new AbortController();
    if (isStateless) cancels.set(id, cancel);
    try {
      await exchange(http, message, { headers, requestSignal: cancel.signal });
    } catch (error) {
      // An error of the protocol, which the transport reads with the status 400 only.
      const body = isStateless
        ? parseLine(asText(asParams(asParams(error)["data"])["text"]) ?? "")
        : undefined;
      if (asParams(asParams(body)["error"])["code"] === undefined) throw error;
      events.onMessage({ ...asParams(body), id });
    } finally {
      cancels.delete(id);
    }
  };
  return {
    ...{ start: () => transport.start(), send, lastWords: () => "" },
    setProtocolVersion: (version) => {
      transport.setProtocolVersion(version);
    },
    stop: () => transport.close().catch(() => undefined),
  };
}

/** Sends a request, and rejects when its response is over: an answer that has not come by then never will. */
async function exchange(
  transport: StreamableHTTPClientTransport,
  message: RpcMessage,
  options: {
    readonly headers: Readonly<Record<string, string>> | undefined;
    readonly requestSignal: AbortSignal;
  },
): Promise<void> {
  const state: Exchange = { isStream: false };
  const { headers, requestSignal } = options;
  await new Promise<void>((resolve, reject) => {
    requestSignal.addEventListener("abort", () => {
      resolve();
    });
    const sent = currentExchange.run(state, () =>
      transport.send(message, {
        ...{ onRequestStreamEnd: resolve, requestSignal },
        ...(headers ? { headers: { ...headers } } : {}),
      }),
    );
    sent.then(() => {
      if (!state.isStream) resolve();
    }, reject);
  });
  throw new Error("its response ended without an answer");
}

/** A `fetch` whose responses end with an error as soon as one message in them exceeds the limit. */
function limitMessages(maxBytes: number, onTooLarge: () => void): Fetch {
  return async (url, init) => {
    const response = await fetch(url, init);
    const isStream = /^\s*text\/event-stream\b/i.test(response.headers.get("content-type") ?? "");
    const state = currentExchange.getStore();
    if (state) state.isStream = isStream && response.ok && response.status !== 202;
    if (response.body === null) return response;
    const counter = isStream ? countEventBytes() : countAllBytes();
    const body = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          if (counter(chunk) <= maxBytes) {
            controller.enqueue(chunk);
            return;
          }
          onTooLarge();
          controller.error(new Error(`a message exceeds ${maxBytes} bytes (maxMessageBytes)`));
        },
      }),
    );
    const { status, statusText, headers } = response;
    return new Response(body, { status, statusText, headers });
  };
}

type CountBytes = (chunk: Uint8Array) => number;

function countAllBytes(): CountBytes {
  let bytes = 0;
  return (chunk) => (bytes += chunk.length);
}

/** The bytes of the event that a chunk ends in. Events end with an empty line, which chunks may split. */
function countEventBytes(): CountBytes {
  let bytes = 0;
  let before: Uint8Array = new Uint8Array();
  return (chunk) => {
    const text = Buffer.concat([before, chunk]);
    const end = Math.max(...["\n\n", "\n\r\n", "\r\r"].map((mark) => text.lastIndexOf(mark)));
    bytes = end === -1 ? bytes + chunk.length : text.length - end;
    before = text.subarray(-2);
    return bytes;
  };
}
