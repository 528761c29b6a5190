import { type ArtifactRecord, type Original, type Workspace } from "context-offload";
import { InvalidArgumentError } from "context-offload/errors";

type Json = Readonly<Record<string, unknown>>;

/** Where an artifact is, as its URI names it. */
export interface ArtifactAddress {
  readonly namespace: string;
  readonly sessionId: string;
  readonly artifactId: string;
}

const SCHEME = "offload://";

/** The template of the URIs of artifacts, for clients that fill it in themselves. */
export const ARTIFACT_URI_TEMPLATE = `${SCHEME}{namespace}/{session}/{artifact}`;

/** `offload://namespace/session/artifact`; ids may contain anything, so each part is encoded. */
export function artifactUri({ namespace, sessionId, artifactId }: ArtifactAddress): string {
  return SCHEME + [namespace, sessionId, artifactId].map(encodeURIComponent).join("/");
}

/** Parses such a URI; `undefined` for any other. */
export function parseArtifactUri(uri: string): ArtifactAddress | undefined {
  if (!uri.startsWith(SCHEME)) return undefined;
  const parts = uri.slice(SCHEME.length).split("/").map(decodePart);
  const [namespace, sessionId, artifactId] = parts;
  if (parts.length !== 3 || !namespace || !sessionId || !artifactId) return undefined;
  return { namespace, sessionId, artifactId };
}

function decodePart(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

/** Which artifacts are shown. */
export interface ArtifactScope {
  /** Only those that this session may read. Default: all sessions. */
  readonly sessionId?: string | undefined;
}

/** Resources are read whole; more than this is only read in parts, by the reading tools. */
const MAX_RESOURCE_BYTES = 8_388_608;

/** A page of `resources/list`. */
export async function listArtifacts(
  workspace: Workspace,
  { sessionId }: ArtifactScope,
  cursor: string | undefined,
): Promise<{ resources: Json[]; nextCursor?: string }> {
  const page = await workspace.queryArtifacts({}, { sessionId, cursor });
  return {
    resources: page.artifacts.map((record) => describe(workspace, record)),
    ...(page.nextCursor === undefined ? {} : { nextCursor: page.nextCursor }),
  };
}

/** What `resources/templates/list` shows. */
export const ARTIFACT_TEMPLATE = {
  uriTemplate: ARTIFACT_URI_TEMPLATE,
  name: "artifact",
  description: "A stored tool result, whole. Large ones are better read in parts, with the tools.",
};

/** The result of `resources/read`: exactly what was stored. */
export async function readArtifact(
  workspace: Workspace,
  uri: string,
  { sessionId }: ArtifactScope,
): Promise<{ contents: Json[] }> {
  const address = parseArtifactUri(uri);
  if (address?.namespace !== workspace.namespace) {
    const expected = `a URI like ${ARTIFACT_URI_TEMPLATE} in the namespace ${workspace.namespace}`;
    throw new InvalidArgumentError("uri", uri, expected);
  }
  // A session may read its children's artifacts, but not those of others.
  const scope = { sessionId: sessionId ?? address.sessionId };
  const record = await workspace.getArtifact(address.artifactId, scope);
  if (record.sessionId !== address.sessionId) {
    throw new InvalidArgumentError(
      "uri",
      uri,
      "a resource of a session that can be read from here",
    );
  }
  if (record.size.bytes > MAX_RESOURCE_BYTES) {
    const expected = `the URI of at most ${MAX_RESOURCE_BYTES} bytes; read larger results in parts with get_knowledge_by_lines or grep_knowledge`;
    throw new InvalidArgumentError("uri", uri, expected);
  }
  const original = await workspace.getOriginal(address.artifactId, { sessionId: record.sessionId });
  return { contents: [{ uri, ...(await contentsOf(original)) }] };
}

function describe(workspace: Workspace, record: ArtifactRecord): Json {
  const { artifactId, sessionId, size, createdAt, metadata, type } = record;
  return {
    uri: artifactUri({ namespace: workspace.namespace, sessionId, artifactId }),
    name: artifactId,
    ...(metadata.tool_name === null ? {} : { title: metadata.tool_name }),
    mimeType: type === "TEXT" ? "text/plain" : "application/json",
    size: size.bytes,
    annotations: { lastModified: createdAt },
  };
}

/** A result that is one text block is that text; other values are JSON. */
async function contentsOf(original: Original): Promise<Json> {
  if (typeof original === "string") return { mimeType: "text/plain", text: original };
  if (Symbol.asyncIterator in original) {
    const chunks: Uint8Array[] = [];
    for await (const chunk of original) chunks.push(chunk);
    const blob = Buffer.concat(chunks).toString("base64");
    return { mimeType: "application/octet-stream", blob };
  }
  const [first, ...others] = Array.isArray(original) ? (original as readonly unknown[]) : [];
  const { type, text } = (first ?? {}) as Json;
  if (others.length === 0 && type === "text" && typeof text === "string") {
    return { mimeType: "text/plain", text };
  }
  return { mimeType: "application/json", text: JSON.stringify(original) };
}
