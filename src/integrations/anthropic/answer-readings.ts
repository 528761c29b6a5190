import type { Reply } from "./messages-api.js";
import type { ReadingTurn } from "./reading-turn.js";

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
