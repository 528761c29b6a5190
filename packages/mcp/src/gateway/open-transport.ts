import { SSEClientTransport, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { Transport } from "@modelcontextprotocol/client";
import type { ServerConfig } from "./gateway-config.js";

/** The longest message that a server may send: above the 10 MB of the SDK, since large answers are the point. */
export const MAX_MESSAGE_BYTES = 67_108_864;

/** A connection to a server, not yet started. */
export interface OpenedTransport {
  readonly transport: Transport;
  /** What the server wrote to its standard error last, to explain why it ended. */
  readonly lastWords: () => string;
}

export function openTransport(server: ServerConfig): OpenedTransport {
  if ("url" in server) {
    const options = { requestInit: { headers: { ...server.headers } } };
    const url = new URL(server.url);
    const transport =
      server.type === "sse"
        ? // eslint-disable-next-line @typescript-eslint/no-deprecated -- Servers of 2024 speak nothing else.
          new SSEClientTransport(url, options)
        : new StreamableHTTPClientTransport(url, options);
    return { transport, lastWords: () => "" };
  }
  const transport = new StdioClientTransport({
    command: server.command,
    args: [...(server.args ?? [])],
    env: { ...(process.env as Record<string, string>), ...server.env },
    ...(server.cwd === undefined ? {} : { cwd: server.cwd }),
    stderr: "pipe",
    maxBufferSize: MAX_MESSAGE_BYTES,
  });
  let words = "";
  transport.stderr?.on("data", (chunk: Buffer) => {
    process.stderr.write(chunk);
    words = (words + chunk.toString("utf8")).slice(-LAST_WORDS_CHARS);
  });
  return { transport, lastWords: () => words.trim() };
}

const LAST_WORDS_CHARS = 400;
