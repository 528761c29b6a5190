export type Call = { readonly id: string; readonly name: string; readonly input: object };
/** What the model does next: calls functions, or says something. */
export type Move = string | readonly Call[];
export interface RequestBody {
  readonly stream?: boolean;
  readonly tools?: readonly unknown[];
  readonly messages?: readonly Message[];
  readonly input?: readonly Message[];
}
/** What each reply says that it used. */
export const CHAT_USAGE = {
  ...{ prompt_tokens: 1_200, completion_tokens: 30, total_tokens: 1_230 },
  prompt_tokens_details: { cached_tokens: 1_000 },
};
export const RESPONSES_USAGE = {
  ...{ input_tokens: 900, output_tokens: 20, total_tokens: 920 },
  ...{ input_tokens_details: { cached_tokens: 600 }, output_tokens_details: {} },
};
interface Message {
  readonly content?: unknown;
  readonly output?: unknown;
}

/** The API of OpenAI as a `fetch` for its client: plays these moves, from what it read or was sent. */
export function scriptOpenAI(
  moves: readonly (Move | ((lastResult: string) => Move))[] | ((body: RequestBody) => Move),
) {
  const requests: RequestBody[] = [];
  const fetch = (_url: unknown, init?: { readonly body?: unknown }): Promise<Response> => {
    const body = JSON.parse(String(init?.body)) as RequestBody;
    const next =
      typeof moves === "function"
        ? moves(body)
        : (moves[requests.length] ?? "There are no more moves.");
    requests.push(body);
    const last = (body.messages ?? body.input)?.at(-1);
    const read = JSON.stringify(last?.content ?? last?.output ?? "");
    const move = typeof next === "function" ? next(read) : next;
    if (body.input) {
      const response = responseOf(move);
      const completed = { type: "response.completed", sequence_number: 1, response };
      return Promise.resolve(
        body.stream === true ? eventStream([completed]) : Response.json(response),
      );
    }
    return Promise.resolve(
      body.stream === true
        ? eventStream([completionOf(move, "delta")], "data: [DONE]\n\n")
        : Response.json(completionOf(move, "message")),
    );
  };
  return { requests, fetch };
}

function completionOf(move: Move, field: "message" | "delta"): object {
  const message =
    typeof move === "string"
      ? { role: "assistant", content: move }
      : {
          ...{ role: "assistant", content: null },
          tool_calls: move.map(({ id, name, input }, index) => ({
            ...{ index, id, type: "function" },
            function: { name, arguments: JSON.stringify(input) },
          })),
        };
  const finish_reason = typeof move === "string" ? "stop" : "tool_calls";
  const object = field === "delta" ? "chat.completion.chunk" : "chat.completion";
  return {
    ...{ id: "c", object, created: 1, model: "scripted", usage: CHAT_USAGE },
    choices: [{ index: 0, [field]: message, finish_reason, logprobs: null }],
  };
}

function eventStream(events: readonly object[], end = ""): Response {
  const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
  return new Response(text + end, { headers: { "content-type": "text/event-stream" } });
}

function responseOf(move: Move): object {
  const output =
    typeof move === "string"
      ? [
          {
            ...{ type: "message", id: "m", role: "assistant", status: "completed" },
            content: [{ type: "output_text", text: move, annotations: [] }],
          },
        ]
      : move.map(({ id, name, input }) => ({
          ...{ type: "function_call", id: `fc_${id}`, call_id: id, name },
          ...{ arguments: JSON.stringify(input), status: "completed" },
        }));
  const usage = RESPONSES_USAGE;
  return { id: "r", object: "response", created_at: 1, model: "scripted", output, usage };
}
