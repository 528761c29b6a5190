import type { Readable, Writable } from "node:stream";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server";
import {
  errorAnswer,
  type FailureCode,
  guessId,
  INVALID_REQUEST,
  malformedAnswer,
  PARSE_ERROR,
  respond,
  type RpcMessage,
} from "./json-rpc.js";

const LINE_FEED = 10;
/** What a buffer begins with, and what is kept of it after a long line. */
const MIN_BUFFER_BYTES = 65_536;
/** How much of each end of a line that is too long is kept, to find its id. */
const END_BYTES = 1_024;

export interface LineEvents {
  onLine(line: string): void;
  /** A line exceeds the limit, and may have no end. The rest of it is skipped. */
  onTooLong?(): void;
  /** The line that exceeded the limit has ended. */
  onSkipped?(start: string, end: string): void;
}

/**
 * Splits bytes into lines. Every byte is looked at once and copied a few times at most, whatever the
 * chunks are: the reader of the SDK joins and searches the whole line again with every chunk.
 */
export class LineReader {
  #buffer = Buffer.alloc(0);
  #length = 0;
  /** The last bytes of a line that is too long. */
  #end: Buffer | undefined;

  constructor(
    private readonly maxBytes: number,
    private readonly events: LineEvents,
  ) {}

  feed(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      this.#finish(chunk.subarray(start, end));
      start = end + 1;
    }
    if (start < chunk.length) this.#add(chunk.subarray(start));
  }

  #finish(rest: Buffer): void {
    if (this.#length === 0 && rest.length <= this.maxBytes) {
      this.events.onLine(rest.toString("utf8"));
      return;
    }
    this.#add(rest);
    const [buffer, length, end] = [this.#buffer, this.#length, this.#end];
    this.#length = 0;
    this.#end = undefined;
    if (buffer.length > MIN_BUFFER_BYTES) this.#buffer = Buffer.alloc(0);
    if (end) this.events.onSkipped?.(buffer.toString("utf8", 0, length), end.toString("utf8"));
    else this.events.onLine(buffer.toString("utf8", 0, length));
  }

  #add(bytes: Buffer): void {
    if (this.#end) {
      this.#end = Buffer.concat([this.#end, bytes.subarray(-END_BYTES)]).subarray(-END_BYTES);
      return;
    }
    const length = this.#length + bytes.length;
    if (length > this.maxBytes) {
      const all = Buffer.concat([this.#buffer.subarray(0, this.#length), bytes]);
      this.#buffer = Buffer.from(all.subarray(0, END_BYTES));
      this.#length = this.#buffer.length;
      this.#end = Buffer.from(all.subarray(-END_BYTES));
      this.events.onTooLong?.();
      return;
    }
    if (length > this.#buffer.length) {
      const size = Math.max(MIN_BUFFER_BYTES, length, 2 * this.#buffer.length);
      const grown = Buffer.allocUnsafe(Math.min(size, this.maxBytes));
      this.#buffer.copy(grown, 0, 0, this.#length);
      this.#buffer = grown;
    }
    bytes.copy(this.#buffer, this.#length);
    this.#length = length;
  }
}

/** The value of a line, `undefined` if it is not JSON. A byte order mark may stand before it. */
export function parseLine(line: string): unknown {
  try {
    return JSON.parse(line.trim()) as unknown;
  } catch {
    return undefined;
  }
}

/** The client, on the standard streams of the process. Messages are passed on as they come, unchecked. */
export class LineTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #reader: LineReader;
  #isClosed = false;

  constructor(
    private readonly input: Readable,
    private readonly output: Writable,
    maxMessageBytes: number,
  ) {
    this.#reader = new LineReader(maxMessageBytes, {
      onLine: (line) => {
        this.#receive(line);
      },
      onSkipped: (start, end) => {
        const limit = `The message exceeds the limit of ${maxMessageBytes} bytes (maxMessageBytes).`;
        this.#reject(start, end, INVALID_REQUEST, limit, "MESSAGE_TOO_LARGE");
      },
    });
  }

  start(): Promise<void> {
    const close = (): void => {
      void this.close();
    };
    // Not taken off again: a write that fails after the end must not end the process.
    this.output.on("error", close);
    this.input.on("data", this.#feed).on("error", close).on("end", close).on("close", close);
    if (this.input.readableEnded || this.input.destroyed) setImmediate(close);
    return Promise.resolve();
  }

  async send(message: RpcMessage): Promise<void> {
    if (this.#isClosed) throw new Error("the client is gone");
    const line = `${JSON.stringify(message)}\n`;
    await new Promise<void>((resolve, reject) => {
      this.output.write(line, (error) => {
        if (error) reject(error);
        else resolve();
      });
    });
  }

  close(): Promise<void> {
    if (!this.#isClosed) {
      this.#isClosed = true;
      this.input.off("data", this.#feed).pause();
      this.onclose?.();
    }
    return Promise.resolve();
  }

  readonly #feed = (chunk: Buffer): void => {
    this.#reader.feed(chunk);
  };

  #receive(line: string): void {
    const value = parseLine(line);
    if (value !== undefined) this.onmessage?.(value as JSONRPCMessage);
    else if (line.trim() !== "") {
      this.#reject(line, line, PARSE_ERROR, "The message is not valid JSON.", "MALFORMED_REQUEST");
    }
  }

  /** Somebody may wait for an answer, also to what cannot be read. */
  #reject(start: string, end: string, code: number, why: string, failure: FailureCode): void {
    const { id, isAnswer } = guessId(start, end) ?? {};
    if (id !== undefined && isAnswer) {
      this.onmessage?.(respond(id, malformedAnswer(why)));
      return;
    }
    const answer = { jsonrpc: "2.0" as const, ...errorAnswer(code, why, failure) };
    this.send((id === undefined ? answer : { ...answer, id }) as RpcMessage).catch(() => undefined);
  }
}
