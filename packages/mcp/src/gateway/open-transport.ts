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
  /** Ends the connection, and the server's process if it was started for it. Never rejects. */
  readonly stop: () => Promise<void>;
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
    return { transport, lastWords: () => "", stop: () => transport.close().catch(() => undefined) };
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
  return { transport, lastWords: () => words.trim(), stop: () => stopProcess(transport) };
}

const LAST_WORDS_CHARS = 400;
/** A client that ends waits 2 s for the gateway, which must have ended its servers by then. */
const PATIENCE_MS = { SIGTERM: 800, SIGKILL: 1_300 } as const;

/** The end of its input asks a server to end; one that does not is made to. */
async function stopProcess(transport: StdioClientTransport): Promise<void> {
  const { pid } = transport;
  const timers = Object.entries(PATIENCE_MS).map(([signal, ms]) =>
    setTimeout(() => {
      if (pid !== null) endProcess(pid, signal as keyof typeof PATIENCE_MS);
    }, ms),
  );
  await transport.close().catch(() => undefined);
  for (const timer of timers) clearTimeout(timer);
}

function endProcess(pid: number, signal: keyof typeof PATIENCE_MS): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended by itself.
  }
}
