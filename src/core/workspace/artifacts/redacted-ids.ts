import type { ArtifactStore } from "./artifact-store.js";

/**
 * The same store under the ids that may be stored: whoever asks for a session or an artifact by an id
 * that holds a secret gets what was stored for it.
 */
export function withStoredIds(store: ArtifactStore, idOf: (id: string) => string): ArtifactStore {
  const { query, writeReadable, close } = store;
  return {
    put(artifact) {
      const { sessionId, wantedId } = artifact;
      const ids = { sessionId: idOf(sessionId), wantedId: wantedId && idOf(wantedId) };
      if (ids.sessionId === sessionId && ids.wantedId === wantedId) return store.put(artifact);
      // Not a copy: the metadata of a stream is known at its end.
      return store.put(
        Object.create(artifact, Object.getOwnPropertyDescriptors(ids)) as typeof artifact,
      );
    },
    sessions: () => store.sessions(),
    listSession: (sessionId) => store.listSession(idOf(sessionId)),
    ...(query && {
      query: ({ sessionId, ...rest }) =>
        query.call(store, {
          ...rest,
          sessionId: sessionId === undefined ? sessionId : idOf(sessionId),
        }),
    }),
    open: (record) => store.open(record),
    openDerived: (record, name, make) => store.openDerived(record, name, make),
    ...(writeReadable && {
      writeReadable: (record, text) => writeReadable.call(store, record, text),
    }),
    remove: (record) => store.remove(record),
    addChild: (sessionId, childSessionId) => store.addChild(idOf(sessionId), idOf(childSessionId)),
    verify: (options) => store.verify(options),
    ...(close && { close: () => close.call(store) }),
  };
}
