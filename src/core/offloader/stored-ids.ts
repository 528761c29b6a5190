import type { Format, FormatResult } from "../engine/format.js";

/** Picks a format that has the ids under which things are stored; the same one for the same format. */
export function pickWithStoredIds<A extends readonly unknown[]>(
  pick: (...args: A) => Format,
  idOf: ((id: string) => string) | undefined,
): (...args: A) => Format {
  if (!idOf) return pick;
  const made = new WeakMap<Format, Format>();
  return (...args) => {
    const format = pick(...args);
    const known = made.get(format) ?? withStoredIds(format, idOf);
    made.set(format, known);
    return known;
  };
}

/**
 * The same format, whose calls and results have the ids under which they are stored: an id that holds a
 * secret is stored as another one, and its reference names that one.
 */
function withStoredIds(format: Format, idOf: (id: string) => string): Format {
  const map = (id: string | undefined) => (id === undefined ? id : idOf(id));
  const { parts } = format;
  return {
    name: format.name,
    mismatch: (messages) => format.mismatch(messages),
    read(message, visitor, options) {
      const answer = visitor.answer?.bind(visitor);
      const relay = {
        modelMessage: (replyId?: string) => {
          visitor.modelMessage(replyId);
        },
        call: (id: string | undefined, name: string, input: unknown) => {
          visitor.call(map(id), name, input);
        },
        result: (result: FormatResult) => {
          const id = map(result.id);
          // Not a copy, since its wrapping is made when it is asked for.
          if (id !== result.id) Object.defineProperty(result, "id", { value: id });
          visitor.result(result);
        },
        other: (chars: number, unknownType?: string) => {
          visitor.other(chars, unknownType);
        },
      };
      format.read(
        message,
        answer
          ? {
              ...relay,
              answer: (id: string | undefined) => {
                answer(map(id));
              },
            }
          : relay,
        options,
      );
    },
    replace: (message, texts, options) => format.replace(message, texts, options),
    restore: (message, originals) => format.restore(message, originals),
    describeTools: (tools) => format.describeTools(tools),
    readCall: (call) => format.readCall(call),
    answerCall: (call, answer) => format.answerCall(call, answer),
    ...(parts && {
      parts: {
        find: (message) => parts.find(message).map((part) => ({ ...part, id: map(part.id) })),
        isSigned: (message) => parts.isSigned(message),
        put: (message, path, value, raw) => parts.put(message, path, value, raw),
        ...(parts.raw && { raw: (message, part) => parts.raw?.(message, part) }),
      },
    }),
  };
}
