import type { ImportPeer } from "./import-peer.js";
import { presentOnArrival, type System } from "./system.js";

/** What its references name in place of the folder of this run, which differs from run to run. */
const FOLDER = "/tmp/context";

interface ContextChef {
  readonly Offloader: new (options: { storageDir: string }) => {
    offload(text: string): { readonly content: string };
    resolve(uri: string): string | null;
  };
  getRecallToolDefinition(): unknown;
}

/** context-chef's offloader with its defaults, and the tool that it recommends for reading: it returns everything. */
export function contextChef(importPeer: ImportPeer): System {
  return {
    name: "context-chef",
    async start({ folder }) {
      const chef = await importPeer<ContextChef>("@context-chef/core");
      const offloader = new chef.Offloader({ storageDir: folder });
      const recall = async function* (_result: unknown, sent: string | undefined) {
        const uri = /context:\/\/\S+/.exec(sent ?? "")?.[0];
        if (uri === undefined) return;
        const answer = await Promise.resolve(offloader.resolve(uri) ?? "");
        yield [{ name: "recall_context", input: { uri }, answer }];
      };
      return {
        overhead: JSON.stringify(chef.getRecallToolDefinition()),
        present: presentOnArrival(({ text }) =>
          Promise.resolve(offloader.offload(text).content.replaceAll(folder, FOLDER)),
        ),
        read: recall,
        readPart: recall,
      };
    },
  };
}
