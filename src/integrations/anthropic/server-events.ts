/** An event as it was sent, and its data if that is JSON. */
export interface ServerEvent {
  readonly raw: string;
  readonly data: unknown;
}

/** The server-sent events of a response, as they arrive. */
export async function* readServerEvents(response: Response): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true });
    for (let end = /\r?\n\r?\n/.exec(text); end; end = /\r?\n\r?\n/.exec(text)) {
      const length = end.index + end[0].length;
      const raw = text.slice(0, length);
      text = text.slice(length);
      yield { raw, data: readData(raw) };
    }
  }
  if (text !== "") yield { raw: text, data: readData(text) };
}

function readData(raw: string): unknown {
  const lines = raw.split(/\r?\n/).filter((line) => line.startsWith("data:"));
  try {
    return JSON.parse(lines.map((line) => line.slice("data:".length)).join("\n"));
  } catch {
    return undefined;
  }
}
