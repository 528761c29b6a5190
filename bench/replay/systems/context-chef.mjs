import { importPeer } from "../../peers.mjs";
import { presentOnArrival } from "./replaced-text.mjs";

/** What its references name in place of the folder of this run, which differs from run to run. */
const FOLDER = "/tmp/context";

/**
 * context-chef's offloader with its defaults, and the tool that it recommends for reading: it returns
 * everything.
 *
 * @type {import("../replay.mjs").System}
 */
export const contextChef = {
  name: "context-chef",
  async start({ folder }) {
    const { Offloader, getRecallToolDefinition } = await importPeer("@context-chef/core");
    const offloader = new Offloader({ storageDir: folder });
    return {
      overhead: JSON.stringify(getRecallToolDefinition()),
      present: presentOnArrival(async ({ text }) =>
        offloader.offload(text).content.replaceAll(folder, FOLDER),
      ),
      async *read(_result, sent) {
        const uri = /context:\/\/\S+/.exec(sent ?? "")?.[0];
        if (uri === undefined) return;
        yield [{ name: "recall_context", input: { uri }, answer: offloader.resolve(uri) ?? "" }];
      },
    };
  },
};
