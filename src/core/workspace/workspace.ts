import {
  type OptionNames,
  requireCount,
  requireChoice,
  requireObject,
  requireOptions,
  requireText,
  rejectMisspelled,
} from "../arguments.js";
import { DEFAULTS } from "../defaults.js";
import { serializeContent } from "../engine/format.js";
import { InvalidArgumentError } from "../errors/argument-errors.js";
import { nonEmptyText } from "../lib/json/plain-json.js";
import type { SearchFilter } from "./artifacts/artifact-store.js";
import { REDACTIONS_KEY, type ArtifactRecord } from "./artifacts/artifact.js";
import { detailsOf, infoOf, sizeOf } from "./artifacts/describe-record.js";
import { findArtifact, visibleSessions } from "./artifacts/find-artifact.js";
import { getOriginal } from "./artifacts/get-original.js";
import { listArtifacts, type CountedPage } from "./artifacts/list-artifacts.js";
import { createDraft, type Draft, type StoredDraft } from "./artifacts/draft.js";
import { withStoredIds } from "./artifacts/redacted-ids.js";
import { readForRedaction, redactFilter, redactName, storedId } from "./artifacts/redaction.js";
import { once } from "../lib/concurrency.js";
import { eventOf, Ledger } from "./ledger/ledger.js";
import type { LineRange } from "./ledger/line-ranges.js";
import { createMaintenance } from "./maintenance.js";
import { EventReporter, type EventDetails } from "./events.js";
import { readablePath } from "./artifacts/readable-view.js";
import { createCountLines } from "./reading/open-text.js";
import { createReadingVerbs } from "./reading/reading-verbs.js";
import { READING_TOOL_CHOICES, type Scope } from "./reading/reading.js";
import { namesPath, renderKnowledgeList, type NoticeOptions } from "./reference/knowledge-list.js";
import { systemPrompt, createTools } from "./tools/create-tools.js";
import { attachCore } from "./workspace-core.js";
import type {
  ArtifactInput,
  ListOptions,
  PlainWorkspace,
  PutOptions,
  StoreOptions,
  ToolsOptions,
  Workspace,
} from "./workspace-types.js";
import type { WorkspaceWiring } from "./workspace-wiring.js";

const PUT_OPTIONS: OptionNames<PutOptions> = {
  sessionId: true,
  toolCallId: true,
  parentSessionId: true,
  signal: true,
};

/** Makes a workspace from a store, a search and its other parts. */
export function wireWorkspace(given: WorkspaceWiring): Workspace {
  const { namespace, notice, redact } = given;
  const idOf = redact && ((id: string) => storedId(id, given));
  const store = idOf ? withStoredIds(given.store, idOf) : given.store;
  const wiring = { ...given, store };
  const events = new EventReporter(wiring.logger, wiring.clock, namespace, wiring);
  const ledger = openLedger(wiring, idOf);
  const maintenance = createMaintenance(wiring, events, ledger);

  /** Reads that are not noted yet, since it is looked up whose they are. */
  const unnoted = new Set<Promise<void>>();

  /** An agent whose tools are limited to no session reads for the one that holds the result. */
  const noteRead = (
    sessionId: string | undefined,
    artifactId: string | undefined,
    texts: readonly string[],
    lines: readonly LineRange[],
  ): void => {
    if (!ledger || (sessionId ?? artifactId) === undefined) return;
    const id = artifactId === undefined ? undefined : storedId(artifactId.trim(), given);
    const owner =
      sessionId === undefined
        ? findArtifact(store, id ?? "", undefined).then((record) => record.sessionId)
        : Promise.resolve(sessionId);
    const noted = owner.then(
      (session) => {
        const tokens = texts.reduce((sum, text) => sum + wiring.countTokens(text), 0);
        const flow = ledger.read(session, id, tokens, lines);
        if (!flow) return;
        const known = { session_id: session, artifact_id: id ?? null };
        events.note("arrival", "read", { ...known, ...eventOf(flow) });
      },
      () => undefined,
    );
    unnoted.add(noted);
    void noted.finally(() => unnoted.delete(noted));
  };

  /** Stores a draft, and logs the outcome. */
  const storeDraft = (
    given: Draft | (() => Promise<Draft>),
    { toolCallId, sessionId, signal }: StoreOptions = {},
  ): Promise<StoredDraft> => {
    const known: EventDetails = { biz_id: toolCallId ?? null, session_id: sessionId ?? null };
    return events.observe(
      "put",
      known,
      async () => {
        signal?.throwIfAborted();
        const draft = typeof given === "function" ? await given() : given;
        const { options, metadata, content } = draft;
        Object.assign(known, {
          biz_id: metadata.biz_id,
          session_id: metadata.session_id,
          tool_name: metadata.tool_name,
          context_type: metadata.context_type,
          ...(REDACTIONS_KEY in metadata ? { redactions: metadata[REDACTIONS_KEY] } : {}),
          ...(typeof content === "string" ? { chars: content.length } : {}),
        });
        try {
          const createdAt = new Date(wiring.clock.now()).toISOString();
          draft.record = await store.put(draft.toArtifact(createdAt));
        } catch (error) {
          // An aborted put throws the signal's reason, not the error that the store made of it.
          options.signal?.throwIfAborted();
          throw error;
        }
        if (options.parentSessionId !== undefined) {
          await store.addChild(options.parentSessionId, draft.sessionId);
        }
        if (namesPath(notice.readBy)) {
          draft.path = await readablePath(store, draft.record, options.signal);
        }
        maintenance.touch?.();
        return draft as StoredDraft;
      },
      ({ record, referenceTokens }) => ({
        event: "offload",
        ...detailsOf(record),
        ...sizeOf(record),
        tokens_saved: record.size.tokens - referenceTokens,
      }),
    );
  };

  const putOne = (input: ArtifactInput, options: StoreOptions): Promise<StoredDraft> =>
    storeDraft(async () => {
      requireObject("artifact", input, "an object with content");
      if (!wiring.redact) return createDraft(wiring, input, options);
      const content = await readForRedaction(input.content);
      return createDraft(wiring, { ...input, content }, options);
    }, options);

  const list = async (
    filter: SearchFilter,
    options: Scope & ListOptions,
    maxChars?: number,
  ): Promise<CountedPage> => {
    options.signal?.throwIfAborted();
    requireObject("searchFilter", filter, "an object of metadata that must be equal");
    const wanted = nonEmptyText(filter["session_id"]);
    const visible =
      options.sessionId === undefined ? undefined : await visibleSessions(store, options.sessionId);
    const sessions =
      wanted === undefined ? visible : (visible ?? [wanted]).filter((id) => id === wanted);
    // `session_id` means the session that holds the artifact, even if its metadata does not say so.
    const given = wanted === undefined ? filter : { ...filter, session_id: undefined };
    const rest = redactFilter(given, wiring);
    return listArtifacts(store, sessions, rest, {
      limit: requireCount("limit", options.limit, DEFAULTS.listLimit),
      chars: maxChars === undefined ? undefined : { most: maxChars, of: infoChars },
      cursor: options.cursor,
      signal: options.signal,
    });
  };

  const noticeFor = ({ readingTools }: Pick<ToolsOptions, "readingTools">): NoticeOptions => {
    requireChoice("readingTools", readingTools, [...READING_TOOL_CHOICES, "all"]);
    return readingTools === undefined ? notice : { ...notice, readingTools };
  };

  const canSee = async (sessionId: string, other: string): Promise<boolean> =>
    (await visibleSessions(store, sessionId)).includes(other);

  const workspace: PlainWorkspace = {
    namespace,

    async put(artifact, options) {
      const given = requireOptions(options);
      rejectMisspelled(given, PUT_OPTIONS);
      requireText("sessionId", given.sessionId, "the session of the artifact");
      const { record, reference } = await putOne(artifact, given);
      return { record, reference };
    },

    async offloadByWorkspace(artifacts, given) {
      const { inlineChars: most, ...options } = requireOptions(given);
      rejectMisspelled({ ...given }, { ...PUT_OPTIONS, inlineChars: true });
      const inputs = Array.isArray(artifacts)
        ? (artifacts as readonly ArtifactInput[])
        : [artifacts as ArtifactInput];
      if (inputs.length === 0) {
        const expected = "an artifact, or an array of at least one";
        throw new InvalidArgumentError("artifacts", artifacts, expected);
      }
      const inlineChars = requireCount("inlineChars", most, DEFAULTS.inlineChars, 0);
      const stored: StoredDraft[] = [];
      for (const input of inputs) stored.push(await putOne(input, options));
      const chars = stored.reduce((sum, { record }) => sum + record.size.chars, 0);
      const isStream = stored.some(({ content }) => content === undefined);
      return !isStream && chars < inlineChars
        ? stored.map(({ content = "" }) => serializeContent(content)).join("\n\n")
        : renderKnowledgeList(
            stored.map(({ entry }) => entry),
            notice,
          );
    },

    ...createReadingVerbs(wiring, events),
    ...maintenance.verbs,

    queryArtifacts: async (filter = {}, options = {}) =>
      events.observe(
        "queryArtifacts",
        { session_id: requireOptions(options).sessionId ?? null },
        async () => {
          const { artifacts, nextCursor } = await list(filter, options);
          return { artifacts, nextCursor };
        },
        () => ({ event: "read" }),
      ),

    getToolResultOffloadInfo: async (options = {}) =>
      events.observe(
        "getToolResultOffloadInfo",
        { session_id: requireOptions(options).sessionId ?? null },
        async () => {
          if (options.namespace !== undefined && options.namespace !== namespace) {
            const expected = `${JSON.stringify(namespace)}, the namespace of this workspace`;
            throw new InvalidArgumentError("namespace", options.namespace, expected);
          }
          const filter = { context_type: "tool_result", task_id: options.taskId };
          const maxChars =
            options.maxChars === undefined
              ? undefined
              : requireCount("maxChars", options.maxChars, undefined);
          const { artifacts, ...rest } = await list(filter, options, maxChars);
          return { artifacts: artifacts.map(infoOf), ...rest };
        },
        () => ({ event: "read" }),
      ),

    verify: (options = {}) =>
      events.observe(
        "verify",
        {},
        async () => {
          requireOptions(options).signal?.throwIfAborted();
          return store.verify(options);
        },
        () => ({ event: "read" }),
      ),

    tools(options = {}) {
      requireObject("options", options, "an object with sessionId or readChars, or omitted");
      // An agent that reads by path has no use for them, and they cost tokens in every request.
      if (notice.readBy === "path") return [];
      return createTools(workspace, noticeFor(options), {
        canSee,
        countLines: createCountLines(store),
        noteRead,
        sessionId: options.sessionId,
        readChars: requireCount("readChars", options.readChars, wiring.readChars),
      });
    },
    systemPrompt(options = {}) {
      requireObject("options", options, "an object with readingTools, or omitted");
      return systemPrompt(noticeFor(options));
    },

    async close() {
      await maintenance.end();
      await Promise.all(unnoted);
      await ledger?.flush();
      await wiring.closeSearch();
      // Last, since it may share its connection with the store.
      await ledger?.close();
    },
  };

  return attachCore(workspace, {
    toolNames: notice.toolNames,
    artifactStore: store,
    ledger,
    readChars: wiring.readChars,
    countTokens: wiring.countTokens,
    hash: wiring.hash,
    storedId: idOf,
    drafting: wiring,
    store: storeDraft,
    listSession: store.listSession.bind(store),
    renew: maintenance.renew,
    original: (record, signal) => getOriginal(store, record, wiring.hash, signal),
    note: (event, verb, details) => {
      events.note(event, verb, details);
    },
  });
}

function openLedger(
  { openLedger: open, isRemoved, defer, clock, hash, redact }: WorkspaceWiring,
  idOf: ((id: string) => string) | undefined,
): Ledger | undefined {
  if (!open || !defer) return undefined;
  const openStore = once(() => (idOf ? withStoredIds(open(), idOf) : open()));
  const nameOf = (name: string) => redactName(name, { redact, hash });
  return new Ledger({ openStore, isRemoved, clock, defer, hash, nameOf });
}

/** The length of an artifact in a listing, with its line break. */
function infoChars(record: ArtifactRecord): number {
  return JSON.stringify(infoOf(record)).length + 1;
}
