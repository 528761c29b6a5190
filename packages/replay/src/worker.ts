import { parentPort, workerData } from "node:worker_threads";
import { readSession } from "./conversation/read-session.js";
import { replaySession, type ThreadAnswer, type ThreadData } from "./replay-sources.js";
import { peersIn } from "./systems/import-peer.js";
import { systemNamed } from "./systems/systems.js";
import { createTokenCounter } from "./tokens.js";

const { systems, settings, peers } = workerData as ThreadData;
const importPeer = peersIn(peers);
const named = Object.fromEntries(systems.map((name) => [name, systemNamed(name, importPeer)]));
const countTokens = await createTokenCounter(importPeer);

parentPort?.on("message", (path: string) => {
  const answer = (message: ThreadAnswer) => parentPort?.postMessage(message);
  readSession(path)
    .then((session) => replaySession(session, named, { settings, countTokens }))
    .then(
      (figures) => {
        answer({ figures });
      },
      (error: unknown) => {
        answer({ error: String(error) });
      },
    );
});
