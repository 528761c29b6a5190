import { asParams, asText, type Params } from "./json-rpc.js";
import type { Upstream } from "./upstream.js";

/** What servers that are not there yet may turn out to have. */
const ANYTHING: Params = {
  tools: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  prompts: { listChanged: true },
  logging: {},
  completions: {},
};

/** What the gateway itself has. */
const OWN: Params = { tools: { listChanged: true }, resources: {} };

/** The gateway's answer to `initialize`: what its servers have together. */
export function mergeInitialize(
  upstreams: readonly Upstream[],
  hello: Params,
  own: { readonly serverInfo: Params; readonly instructions: string },
): Params {
  const ready = upstreams.filter(({ isReady }) => isReady);
  const capabilities = [
    ...ready.map((upstream) => upstream.capabilities),
    ...(ready.length < upstreams.length ? [ANYTHING] : []),
  ];
  const versions = ready.flatMap(
    ({ initialized }) => asText(initialized?.["protocolVersion"]) ?? [],
  );
  const asked = asText(hello["protocolVersion"]) ?? "";
  const instructions = ready.map(({ initialized }) => asText(initialized?.["instructions"]) ?? "");
  return {
    // The oldest, so that no server gets what it does not know; versions are dates.
    protocolVersion: versions.sort()[0] ?? asked,
    capabilities: capabilities.reduce(mergeObjects, OWN),
    serverInfo: own.serverInfo,
    instructions: [...instructions, own.instructions].filter((text) => text !== "").join("\n\n"),
  };
}

function mergeObjects(left: Params, right: Params): Params {
  const merged: Record<string, unknown> = { ...left };
  for (const [key, value] of Object.entries(right)) {
    const isBoth = typeof value === "object" && typeof merged[key] === "object";
    merged[key] = isBoth
      ? mergeObjects(asParams(merged[key]), asParams(value))
      : merged[key] === true
        ? true
        : value;
  }
  return merged;
}
