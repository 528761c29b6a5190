/** Where `install` works, and what it sets up. */
export interface InstallContext {
  readonly cwd: string;
  readonly home: string;
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The settings of this project, or those of the user. */
  readonly scope: "project" | "user";
  /** The absolute paths of `node`, of the command and of the hook: never `npx`, which takes a second to start. */
  readonly node: string;
  readonly main: string;
  readonly hook: string;
  /** The absolute path of the plugin for OpenCode. */
  opencodePlugin(): string;
  /** Tools whose results are kept. */
  readonly exclude: readonly string[];
  /** Whether references name the reading tools, for which a server is set up, or give file paths. */
  readonly withTools: boolean;
}

/** What was done to a file, or why nothing was. */
export interface InstallStep {
  readonly path: string;
  readonly what: string;
  /** Whether the file is another one now. */
  readonly isChange: boolean;
}

/** A program that agents run in. */
export interface Client {
  readonly name: string;
  readonly title: string;
  install(context: InstallContext): Promise<InstallStep[]>;
  uninstall(context: InstallContext): Promise<InstallStep[]>;
  /** What is set up now, for `doctor`. */
  inspect(context: InstallContext): Promise<InstallStep[]>;
}
