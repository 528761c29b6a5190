import type { FormatResult, MessageVisitor } from "../../core/engine/format.js";

/** A visitor that passes everything on, and changes results on the way. */
export function relayTo(
  visitor: MessageVisitor,
  change: (result: FormatResult) => FormatResult,
): MessageVisitor {
  return {
    modelMessage(replyId) {
      visitor.modelMessage(replyId);
    },
    call(id, name) {
      visitor.call(id, name);
    },
    answer(id) {
      visitor.answer?.(id);
    },
    other(chars, unknownType) {
      visitor.other(chars, unknownType);
    },
    result(result) {
      visitor.result(change(result));
    },
  };
}
