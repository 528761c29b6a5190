import type { ArtifactStore } from "./artifact-store.js";
import { bindStore } from "./bind-store.js";

/**
 * The same store under the ids that may be stored: whoever asks for a session by an id that holds a
 * secret gets what was stored for it.
 */
export function withStoredIds(store: ArtifactStore, idOf: (id: string) => string): ArtifactStore {
  const inner = bindStore(store);
  const query = inner.query?.bind(inner);
  const find = inner.find?.bind(inner);
  const removeOldest = inner.removeOldest?.bind(inner);
  const stored = <T extends { readonly sessionId?: string | undefined }>(wanted: T): T =>
    wanted.sessionId === undefined ? wanted : { ...wanted, sessionId: idOf(wanted.sessionId) };
  return {
    ...inner,
    put(artifact) {
      const { sessionId, wantedId } = artifact;
      const ids = { sessionId: idOf(sessionId), wantedId: wantedId && idOf(wantedId) };
      if (ids.sessionId === sessionId && ids.wantedId === wantedId) return inner.put(artifact);
      // Not a copy: the metadata of a stream is known at its end.
      const changed = Object.create(artifact, Object.getOwnPropertyDescriptors(ids)) as unknown;
      return inner.put(changed as typeof artifact);
    },
    listSession: (sessionId) => inner.listSession(idOf(sessionId)),
    ...(query && { query: (wanted) => query(stored(wanted)) }),
    ...(find && { find: (wanted) => find(stored(wanted)) }),
    ...(removeOldest && { removeOldest: (removal) => removeOldest(stored(removal)) }),
    purge: (sessionId) => inner.purge(sessionId === undefined ? undefined : idOf(sessionId)),
    addChild: (sessionId, childSessionId) => inner.addChild(idOf(sessionId), idOf(childSessionId)),
  };
}
