import { serializeContent } from "../engine/content.js";
import { DEFAULTS } from "../defaults.js";
import { InvalidArgumentError } from "../errors/invalid-argument-error.js";
import { nonEmptyText } from "../lib/text/non-empty-text.js";
import { requireCount, requireObject } from "../arguments.js";
import { infoOf } from "./artifacts/describe-record.js";
import { EventReporter } from "./events.js";
import { visibleSessions } from "./artifacts/find-artifact.js";
import { renderKnowledgeList } from "./reference/knowledge-list.js";
import { createKnowledgeTools } from "./tools/knowledge-tools.js";
import { listArtifacts } from "./artifacts/list-artifacts.js";
import { previewArtifact } from "./artifacts/preview-artifact.js";
import { createPut, type StoredContent } from "./artifacts/put-artifact.js";
import { createReadingVerbs } from "./reading/reading-verbs.js";
import { systemPrompt } from "./reference/system-prompt.js";
import type { ArtifactInput, Workspace } from "./workspace-types.js";
import type { WorkspaceWiring } from "./workspace-wiring.js";

/** Puts a workspace together from a store, a search and the rest of its parts. */
export function wireWorkspace(wiring: WorkspaceWiring): Workspace {
  const { store, namespace, notice } = wiring;
  const events = new EventReporter(wiring.logger, wiring.clock, namespace);

  const putOne = createPut(wiring, events);

  const workspace: Workspace = {
    namespace,
    notice,
    countTokens: wiring.countTokens,

    preview: (artifact, options = {}) => previewArtifact(wiring, artifact, options),

    async put(artifact, options = {}) {
      const { record, entry } = await putOne(artifact, options);
      return { record, reference: renderKnowledgeList([entry], notice) };
    },

    async offloadByWorkspace(artifacts, options = {}) {
      const inputs = Array.isArray(artifacts)
        ? (artifacts as readonly ArtifactInput[])
        : [artifacts];
      if (inputs.length === 0) {
        throw new InvalidArgumentError(
          "artifacts",
          artifacts,
          "an artifact, or an array of at least one",
        );
      }
      const inlineChars = requireCount("inlineChars", options.inlineChars, DEFAULTS.inlineChars, 0);
      const stored: StoredContent[] = [];
      for (const input of inputs as readonly ArtifactInput[])
        stored.push(await putOne(input, options));
      const contents = stored.flatMap(({ prepared }) => prepared.content ?? []);
      const chars = stored.reduce((sum, { record }) => sum + record.size.chars, 0);
      return contents.length === stored.length && chars < inlineChars
        ? stored.map(({ prepared }) => serializeContent(prepared.content ?? "")).join("\n\n")
        : renderKnowledgeList(
            stored.map(({ entry }) => entry),
            notice,
          );
    },

    ...createReadingVerbs(wiring, events),

    queryArtifacts: (filter = {}, options = {}) =>
      events.observe(
        "queryArtifacts",
        { session_id: options.sessionId ?? null },
        async () => {
          options.signal?.throwIfAborted();
          requireObject("searchFilter", filter, "an object of metadata that must be equal");
          const wanted = nonEmptyText(filter["session_id"]);
          const visible = await visibleSessions(store, options.sessionId);
          const sessions = wanted === undefined ? visible : visible.filter((id) => id === wanted);
          // The session is what holds the artifact, whether or not its metadata says so.
          const rest = wanted === undefined ? filter : { ...filter, session_id: undefined };
          return listArtifacts(store, sessions, rest, {
            limit: requireCount("limit", options.limit, DEFAULTS.listLimit),
            cursor: options.cursor,
            signal: options.signal,
          });
        },
        () => ({ event: "read" }),
      ),

    async getToolResultOffloadInfo(options = {}) {
      if (options.namespace !== undefined && options.namespace !== namespace) {
        const expected = `${JSON.stringify(namespace)}, the namespace of this workspace`;
        throw new InvalidArgumentError("namespace", options.namespace, expected);
      }
      const filter = { context_type: "tool_result", task_id: options.taskId };
      const { artifacts, nextCursor } = await workspace.queryArtifacts(filter, options);
      return { artifacts: artifacts.map(infoOf), nextCursor };
    },

    verify: (options = {}) =>
      events.observe(
        "verify",
        {},
        async () => {
          options.signal?.throwIfAborted();
          return store.verify(options);
        },
        () => ({ event: "read" }),
      ),

    tools: (options = {}) => createKnowledgeTools(workspace, options),
    systemPrompt: () => systemPrompt(notice),
    noteSkip: (details) => {
      events.note("skip", "process", details);
    },
    close: wiring.closeSearch,
  };
  return workspace;
}
