import { ours } from "./ours.mjs";

/** Our own tools with a reference that shows nothing: a digest must do better than this. */
export const bareReference = ours({
  name: "bare reference",
  rewrite: (_reference, { callId }) => `[stored as ${callId}]`,
});

/** Our own tools with a digest that knew what will be used: how far a digest can get. */
export const oracle = ours({
  name: "oracle",
  rewrite: (_reference, result, { usedLater }) =>
    [`[stored as ${result.callId}]`, ...(usedLater.get(result) ?? [])].join("\n"),
});
