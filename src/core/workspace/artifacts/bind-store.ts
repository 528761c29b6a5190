import type { ArtifactStore } from "./artifact-store.js";

/** The methods of a store as an object of functions, some of which another store may replace. */
export function bindStore(store: ArtifactStore): ArtifactStore {
  return {
    put: store.put.bind(store),
    renew: store.renew.bind(store),
    sessions: store.sessions.bind(store),
    listSession: store.listSession.bind(store),
    ...(store.query && { query: store.query.bind(store) }),
    ...(store.find && { find: store.find.bind(store) }),
    ...(store.summarize && { summarize: store.summarize.bind(store) }),
    ...(store.removeOldest && { removeOldest: store.removeOldest.bind(store) }),
    open: store.open.bind(store),
    openDerived: store.openDerived.bind(store),
    ...(store.writeReadable && { writeReadable: store.writeReadable.bind(store) }),
    remove: store.remove.bind(store),
    purge: store.purge.bind(store),
    addChild: store.addChild.bind(store),
    verify: store.verify.bind(store),
    ...(store.close && { close: store.close.bind(store) }),
  };
}
