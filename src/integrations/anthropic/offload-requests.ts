import { connectSessions, type IntegrationOptions } from "../shared/connect-sessions.js";
import { ConversationMemory, ReadingTurn } from "./reading-turn.js";
import {
  readMessagesBody,
  type AnthropicRequest,
  type AnthropicHttpRequest,
  type Reply,
} from "./messages-api.js";
import { streamReplies } from "./stream-replies.js";

/** Options of `offloadRequests`. */
export interface RequestOptions extends Omit<
  IntegrationOptions,
  "sessionId" | "acceptReferences" | "offloader"
> {
  /**
   * The session of a request; a server with many users passes its own. Default: derived from the first
   * messages of the conversation.
   */
  readonly sessionId?: ((request: AnthropicRequest) => string) | undefined;
}

/**
 * A middleware of a client: large results in its requests become references, and calls of the reading
 * tools are answered here, so that the host never sees them. The host's own messages keep the originals.
 *
 * @example
 * const client = new Anthropic({ middleware: [offloadRequests()] });
 */
export function offloadRequests(
  options: RequestOptions = {},
): <R extends AnthropicHttpRequest>(
  request: R,
  next: (request: R) => Promise<Response>,
) => Promise<Response> {
  const { sessionId: nameSession, ...others } = options;
  const sessions = connectSessions(others);
  const memory = new ConversationMemory();

  return async (request, next) => {
    const body = readMessagesBody(request);
    if (!body) return next(request);
    const { url, headers } = request;
    const given = nameSession?.({ url, headers, body }) || undefined;
    const turn = await ReadingTurn.begin(body, given, sessions, memory);
    // What is not changed is passed on byte for byte.
    if (!turn) return next(request);
    const send = (changed: unknown): Promise<Response> =>
      next({ ...request, body: JSON.stringify(changed) });
    const response = await send(turn.body);
    if (!response.ok || url.includes("/count_tokens")) return response;
    return body.stream === true
      ? streamReplies(response, turn, send)
      : answerReadings(response, turn, send);
  };
}

/** Answers the calls of reading tools until the model has said what it has to say to the host. */
export async function answerReadings(
  first: Response,
  turn: ReadingTurn,
  send: (body: unknown) => Promise<Response>,
): Promise<Response> {
  let response = first;
  for (;;) {
    const reply = (await response.clone().json()) as Reply;
    const body = await turn.take(reply);
    if (!body) return turn.hidReadings ? withBody(response, turn.visibleReply(reply)) : response;
    response = await send(body);
    if (!response.ok) return response;
  }
}

function withBody(response: Response, body: unknown): Response {
  const headers = new Headers(response.headers);
  headers.delete("content-length");
  headers.delete("content-encoding");
  return new Response(JSON.stringify(body), { status: response.status, headers });
}
