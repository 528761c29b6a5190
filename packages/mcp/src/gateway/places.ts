import { fileURLToPath } from "node:url";
import type { Workspace } from "context-offload";
import { createToolbox, type ReadingToolList, type Toolbox } from "../toolbox.js";
import { asList, asParams, asText, type RpcAnswer, type RpcRequest } from "./json-rpc.js";

/** Where the answers for one project are stored. */
export interface ProjectStore {
  readonly workspace: Workspace;
  /** What people are told about it, such as the path of its folder. */
  readonly where: string;
  /** The session in it. Default: that of the gateway. */
  readonly sessionId?: string | undefined;
}

/** Where answers are stored, and the tools that read them. */
export interface Place {
  readonly workspace: Workspace;
  readonly sessionId: string;
  readonly toolbox: Toolbox;
  readonly where: string | undefined;
}

export interface PlacesOptions {
  /** One for everything, or how to open that of a project by its folder. */
  readonly store: Workspace | ((project: string) => ProjectStore);
  readonly sessionId: string;
  readonly readingTools: ReadingToolList;
  /** The project of a client that does not say which it is. */
  readonly folder: string;
  /** Asks the client for its roots; `undefined` if it has none, or does not answer. */
  readonly askRoots: (request: RpcRequest) => Promise<RpcAnswer | undefined>;
}

/** The place of each project that the client works in. */
export class Places {
  readonly #places = new Map<string, Place>();
  #project: string | undefined;

  constructor(private readonly options: PlacesOptions) {}

  /** The place that belongs to a request. */
  async of(request: RpcRequest): Promise<Place> {
    const { store } = this.options;
    if (typeof store !== "function") return this.#place("", () => ({ workspace: store }));
    const project = this.#project ?? (await this.#findProject(request));
    return this.#place(project, () => store(project));
  }

  /** The client works in other folders now. */
  forgetRoots(): void {
    this.#project = undefined;
  }

  /** Ends what was opened here. */
  async close(): Promise<void> {
    if (typeof this.options.store !== "function") return;
    await Promise.all([...this.#places.values()].map(({ workspace }) => workspace.close()));
  }

  async #findProject(request: RpcRequest): Promise<string> {
    const { folder, askRoots } = this.options;
    const answer = await askRoots(request);
    if (!answer) return folder;
    const roots = "result" in answer ? asList(answer.result["roots"]) : [];
    const folders = roots.flatMap((root) => folderOf(asText(asParams(root)["uri"])) ?? []);
    return (this.#project = folders[0] ?? folder);
  }

  #place(
    project: string,
    open: () => Pick<ProjectStore, "workspace" | "sessionId"> & Partial<ProjectStore>,
  ): Place {
    const known = this.#places.get(project);
    if (known) return known;
    const { readingTools } = this.options;
    const { workspace, where, sessionId = this.options.sessionId } = open();
    const toolbox = createToolbox(workspace, { sessionId, readingTools });
    const place: Place = { workspace, sessionId, toolbox, where };
    this.#places.set(project, place);
    return place;
  }
}

/** The folder of a `file:` URI, which is all that a root can be; `undefined` for anything else. */
function folderOf(uri: string | undefined): string | undefined {
  try {
    return uri === undefined ? undefined : fileURLToPath(uri);
  } catch {
    return undefined;
  }
}
