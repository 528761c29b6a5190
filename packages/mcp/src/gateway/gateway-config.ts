import { InvalidArgumentError } from "context-offload/errors";
import { asParams, type Params } from "./json-rpc.js";

/** How the answers of a tool are treated. */
export interface ToolPolicy {
  /** With `false`, answers are never offloaded. Default true. */
  readonly offload?: boolean;
  /** Offloads answers of at least this many tokens. Default: `DEFAULTS.giantTokens`, 6,400. */
  readonly minTokens?: number;
}

/** The policy of all tools, and of single ones by their own name. */
export interface OffloadConfig extends ToolPolicy {
  readonly tools?: Readonly<Record<string, ToolPolicy>>;
}

interface AnyServerConfig {
  /** The policy of this server's tools, which comes before that of the whole file. */
  readonly contextOffload?: OffloadConfig | undefined;
}

/** A server that the gateway starts and talks to over its standard input and output. */
export interface StdioServerConfig extends AnyServerConfig {
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** Added to the gateway's own environment. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cwd?: string | undefined;
}

/** A server at an address. */
export interface HttpServerConfig extends AnyServerConfig {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** `"sse"` for servers of the protocol of 2024. Default `"http"`. */
  readonly type?: "http" | "sse" | undefined;
}

export type ServerConfig = StdioServerConfig | HttpServerConfig;

/** What a configuration file holds. */
export interface GatewayConfig {
  readonly servers: Readonly<Record<string, ServerConfig>>;
  readonly policy: OffloadConfig;
  readonly limits: Partial<GatewayLimits>;
}

/**
 * Parses a configuration in the form that MCP clients use: `mcpServers` (or VS Code's `servers`), and
 * besides it `contextOffload` with policies and `limits`. `${NAME}` and `${NAME:-default}` are taken from the
 * environment; servers with `disabled: true` are left out.
 *
 * @throws InvalidArgumentError that names the wrong field.
 */
export function parseGatewayConfig(
  config: unknown,
  env: Readonly<Record<string, string | undefined>> = process.env,
): GatewayConfig {
  const file = requireRecord("config", config, "an object with mcpServers");
  const field = file["mcpServers"] === undefined && file["servers"] ? "servers" : "mcpServers";
  const given = requireRecord(field, file[field], "an object with a server by each name");
  const servers = Object.entries(given)
    .filter(([, server]) => asParams(server)["disabled"] !== true)
    .map(([name, server]) => [name, parseServer(`${field}.${name}`, server, env)] as const);
  if (servers.length === 0) throw new InvalidArgumentError(field, given, "at least one server");
  return {
    servers: Object.fromEntries(servers),
    policy: parsePolicy("contextOffload", file["contextOffload"]) ?? {},
    limits: parseLimits("limits", file["limits"]),
  };
}

function parseServer(
  field: string,
  value: unknown,
  env: Readonly<Record<string, string | undefined>>,
): ServerConfig {
  const server = requireRecord(field, value, "an object with command or url");
  const expand = (text: string) => expandVariables(text, env);
  const contextOffload = parsePolicy(`${field}.contextOffload`, server["contextOffload"]);
  const { command, args = [], cwd, url, type } = server;
  if (typeof command === "string" && command !== "") {
    if (!Array.isArray(args) || !args.every((arg) => typeof arg === "string")) {
      throw new InvalidArgumentError(`${field}.args`, args, "an array of strings");
    }
    return {
      command: expand(command),
      args: args.map(expand),
      env: parseTexts(`${field}.env`, server["env"], expand),
      cwd: typeof cwd === "string" ? expand(cwd) : undefined,
      contextOffload,
    };
  }
  if (typeof url !== "string" || !URL.canParse(expand(url))) {
    throw new InvalidArgumentError(field, value, "an object with command, or with a valid url");
  }
  return {
    url: expand(url),
    headers: parseTexts(`${field}.headers`, server["headers"], expand),
    type: type === "sse" ? "sse" : "http",
    contextOffload,
  };
}

function parsePolicy(field: string, value: unknown): OffloadConfig | undefined {
  if (value === undefined) return undefined;
  const { tools, ...own } = requireRecord(field, value, "an object with offload, minTokens, tools");
  const policies = Object.entries(
    tools === undefined
      ? {}
      : requireRecord(`${field}.tools`, tools, "an object with a policy by each tool's name"),
  );
  return {
    ...parseToolPolicy(field, own),
    tools: Object.fromEntries(
      policies.map(([name, policy]) => [name, parseToolPolicy(`${field}.tools.${name}`, policy)]),
    ),
  };
}

function parseToolPolicy(field: string, value: unknown): ToolPolicy {
  const policy = requireRecord(field, value, "an object with offload and minTokens");
  for (const [key, setting] of Object.entries(policy)) {
    const isCount = Number.isSafeInteger(setting) && (setting as number) >= 0;
    if (key === "offload" ? typeof setting === "boolean" : key === "minTokens" && isCount) continue;
    const expected = { offload: "true or false", minTokens: "a whole number of tokens" }[key];
    throw new InvalidArgumentError(
      `${field}.${key}`,
      setting,
      expected ?? "omitted: the settings are offload and minTokens",
    );
  }
  return policy;
}

function parseTexts(
  field: string,
  value: unknown,
  expand: (text: string) => string,
): Readonly<Record<string, string>> {
  const entries = Object.entries(
    value === undefined ? {} : requireRecord(field, value, "an object of strings"),
  );
  return Object.fromEntries(
    entries.map(([key, text]) => {
      if (typeof text !== "string")
        throw new InvalidArgumentError(`${field}.${key}`, text, "a string");
      return [key, expand(text)];
    }),
  );
}

function requireRecord(field: string, value: unknown, expected: string): Params {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Params;
  throw new InvalidArgumentError(field, value, expected);
}

/** A variable that is not set and has no default is kept unexpanded, so that an error shows its name. */
function expandVariables(text: string, env: Readonly<Record<string, string | undefined>>): string {
  return text.replaceAll(
    /\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g,
    (whole, name: string, fallback?: string) => env[name] ?? fallback ?? whole,
  );
}

/** How long to wait for servers, in milliseconds, and how large a message may be. */
export interface GatewayLimits {
  /** The largest message that a server or the client may send, in bytes. */
  readonly maxMessageBytes: number;
  /** Every request of the client is answered by then, with an error if there is no answer. */
  readonly callMs: number;
  /** A server that has not answered `initialize` by then is stopped and started again. */
  readonly startMs: number;
  /**
   * For a client of 2026-07-28: a server that has not answered `server/discover` by then is sent `initialize`,
   * since servers of older revisions may not answer what they do not know.
   */
  readonly probeMs: number;
  /**
   * How long a list may take, with all of its pages. A server that has not answered at all by then is
   * stopped and started again; of one that has sent some pages, these are used.
   */
  readonly listMs: number;
  /** How long a request of the client waits for a server that is being started. */
  readonly patienceMs: number;
  /** A server with open requests that says nothing for so long is asked whether it is there … */
  readonly silenceMs: number;
  /** … and is stopped and started again if it does not answer that either. */
  readonly pingMs: number;
  /** The first pause before a restart; it doubles each time, up to the last one. */
  readonly firstRestartMs: number;
  readonly lastRestartMs: number;
}

export const DEFAULT_LIMITS: GatewayLimits = {
  maxMessageBytes: 67_108_864,
  callMs: 3_600_000,
  startMs: 60_000,
  probeMs: 5_000,
  listMs: 15_000,
  patienceMs: 8_000,
  silenceMs: 300_000,
  pingMs: 30_000,
  firstRestartMs: 500,
  lastRestartMs: 30_000,
};

/** The longest text that Node can hold, and the longest time that a timer can wait. */
const MAX_LIMITS = { bytes: 536_870_888, ms: 2_147_483_647 };

/** The limits that are given, each a whole number that can be kept to. */
export function parseLimits(field: string, value: unknown): Partial<GatewayLimits> {
  const names = Object.keys(DEFAULT_LIMITS);
  const limits = requireRecord(field, value ?? {}, `an object with any of ${names.join(", ")}`);
  for (const [name, limit] of Object.entries(limits)) {
    if (limit === undefined) continue;
    const [max, unit] =
      name === "maxMessageBytes" ? [MAX_LIMITS.bytes, "bytes"] : [MAX_LIMITS.ms, "milliseconds"];
    if (!names.includes(name)) {
      const expected = `omitted: the limits are ${names.join(", ")}`;
      throw new InvalidArgumentError(`${field}.${name}`, limit, expected);
    }
    if (!Number.isSafeInteger(limit) || (limit as number) < 1 || (limit as number) > max) {
      const expected = `a whole number of ${unit} from 1 to ${max}`;
      throw new InvalidArgumentError(`${field}.${name}`, limit, expected);
    }
  }
  return limits;
}
