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

/** Reads such a URI; `undefined` for any other. */
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
