import {
  chmodSync,
  lstatSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, extname, join, relative } from "node:path";
import fc from "fast-check";
import { parse, stripComments, type ParseError } from "jsonc-parser";
import { parse as parseToml } from "smol-toml";
import { afterAll, describe, expect, it } from "vitest";
import { runs } from "../../../tests/support/adversarial-runs.js";
import { CommandError } from "../src/command-error.js";
import type { Client, InstallContext } from "../src/install/client.js";
import { CLIENTS } from "../src/install/clients.js";
import { inspect, install, uninstall } from "../src/install/set-up.js";

const RUNS = runs(2_000);
const folders: string[] = [];

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function newContext(scope: InstallContext["scope"] = "project"): InstallContext {
  const cwd = mkdtempSync(join(tmpdir(), "settings-"));
  folders.push(cwd);
  return {
    ...{ cwd, home: join(cwd, "home"), platform: "linux", env: {}, scope, exclude: [] },
    ...{ node: "/usr/bin/node", main: "/opt/offload/main.js", hook: "/opt/offload/hook.js" },
    versionOf: () => undefined,
    opencodePlugin: () => "/opt/offload/integrations/opencode/index.js",
    minTokens: undefined,
    withTools: true,
  };
}

const clientNamed = (name: string): Client =>
  CLIENTS.find((client) => client.name === name) as Client;

async function pathsOf(client: Client, context: InstallContext): Promise<string[]> {
  return (await client.edits(context)).map(({ path }) => path);
}

function put(path: string, text: string | Uint8Array, mode = 0o644): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

/** Every file with its bytes, its mode, and where it leads. */
function snapshot(folder: string): Record<string, unknown> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true });
  return Object.fromEntries(
    names
      .filter((entry) => !entry.isDirectory())
      .map((entry) => {
        const path = join(entry.parentPath, entry.name);
        const { mode, uid, gid, nlink } = statSync(path);
        const isLink = lstatSync(path).isSymbolicLink();
        const text = readFileSync(path).toString("latin1");
        return [relative(folder, path), { mode, uid, gid, nlink, isLink, text }];
      }),
  );
}

/** Choices that a value is written with: comments, blanks, line breaks. */
type Choose = (options: number) => number;

function chooserOf(choices: readonly number[]): Choose {
  let at = 0;
  return (options) => (choices[at++ % choices.length] ?? 0) % options;
}

interface Style {
  readonly eol: "\n" | "\r\n" | "mixed";
  readonly indent: string;
  readonly hasComments: boolean;
  readonly choose: Choose;
}

function eol({ eol: kind, choose }: Style): string {
  return kind === "mixed" ? (choose(2) === 0 ? "\n" : "\r\n") : kind;
}

function writeJson(value: unknown, style: Style, depth = 0): string {
  const { choose, hasComments, indent } = style;
  const isList = Array.isArray(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const newLine = (level: number): string =>
    indent === "" ? "" : eol(style) + indent.repeat(level);
  const comment = (): string => {
    const kind = hasComments ? choose(6) : 5;
    if (kind === 0) return ` // it's "mine", ours: [1,]${eol(style)}`;
    return kind === 1 ? " /* , } */" : kind === 2 ? " " : "";
  };
  const parts = Object.entries(value).map(([key, item], at, { length }) => {
    const name = isList ? "" : `${JSON.stringify(key)}:${indent === "" ? "" : " "}`;
    const isLast = at === length - 1;
    const comma = isLast && !(hasComments && choose(2) === 0) ? "" : ",";
    return `${newLine(depth + 1)}${name}${writeJson(item, style, depth + 1)}${comment()}${comma}${comment()}`;
  });
  const end = parts.length > 0 || choose(3) === 0 ? newLine(depth) : "";
  const [open, close] = isList ? ["[", "]"] : ["{", "}"];
  return (
    open + (hasComments && choose(4) === 0 ? "/* first */" : "") + parts.join("") + end + close
  );
}

const ODD = [null, [], {}, "text", 0, false, [null], { a: null }] as const;
const odd = fc.constantFrom(...ODD);
const word = fc.constantFrom(
  "files",
  "offload",
  "context-offload",
  "x y",
  'q"uote',
  "ünïcode",
  "--",
);
const OTHER_COMMANDS = [
  "cd ~/code/context-offload-demo && npm run lint",
  "node /opt/audit/hook.js --root /var/log/audit",
  '"/usr/bin/node" "/opt/audit/hook.js" --root .offload',
  '"/usr/bin/node" "/opt/offload/hook.js" --in-project --tool-prefix mcp__offload__',
  "notify 'see context-offload docs' --installed-by context-offload:2",
  "--installed-by context-offload:4",
] as const;
const otherCommand = fc.constantFrom(...OTHER_COMMANDS);
const args = fc.oneof(
  fc.array(fc.constantFrom("-y", "server", ".", "é", "a\tb", "--", "gateway"), { maxLength: 4 }),
  fc.constantFrom<unknown>(
    ["/x/main.js", "mcp", "--read-only"],
    ["/opt/context-offload/main.js", "gateway", "--session", "s", "--", "npx"],
    ["/opt/context-offload/main.js", "gateway", "--per-project", "--session", "codex", "--", "npx"],
  ),
);
const server = fc.oneof(
  { weight: 6, arbitrary: fc.record({ command: word, args }, { requiredKeys: ["command"] }) },
  { weight: 2, arbitrary: fc.record({ args, command: word, env: fc.constant({ KEY: "secret" }) }) },
  { weight: 2, arbitrary: fc.record({ command: word, disabled: fc.boolean() }) },
  fc.constant({ url: "https://example.com/mcp" }),
  fc.record({ command: word, args: odd }),
  odd,
);
const serverNames = fc.constantFrom("files", "offload", "with space", "q'uote", "", "ü", "a.b");
const servers = fc.oneof(
  { weight: 5, arbitrary: fc.dictionary(serverNames, server, { maxKeys: 4 }) },
  odd,
);
const claudeHook = fc.record({ type: fc.constant("command"), command: otherCommand });
const claudeGroup = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ matcher: word, hooks: fc.array(claudeHook, { maxLength: 2 }) }),
  },
  fc.record({ matcher: word, hooks: odd }),
  odd,
);
const events = (entry: fc.Arbitrary<unknown>, name: string) =>
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record(
        {
          PreToolUse: fc.constant([]),
          [name]: fc.oneof({ weight: 4, arbitrary: fc.array(entry, { maxLength: 3 }) }, odd),
        },
        { requiredKeys: [] },
      ),
    },
    odd,
  );
const settingsData = fc.record(
  {
    model: fc.constantFrom("opus", "ünï", "\u2028"),
    permissions: fc.constant({ allow: ["Bash(ls:*)"], deny: [] }),
    hooks: fc.oneof(
      events(claudeGroup, "PostToolUse"),
      events(fc.record({ type: fc.constant("command"), bash: otherCommand }), "postToolUse"),
    ),
    mcpServers: servers,
    servers,
    plugin: fc.oneof(
      fc.array(
        fc.constantFrom<unknown>(
          "other",
          ["other", { a: 1 }],
          "file:///x/opencode/index.js",
          null,
          "context-offload/opencode",
        ),
        { maxLength: 3 },
      ),
      odd,
    ),
    version: fc.constantFrom(1, 2),
    limit: fc.constantFrom(1, 1.5e300, -0.1),
  },
  { requiredKeys: [] },
);

const styles = fc.record({
  eol: fc.constantFrom("\n" as const, "\r\n" as const, "mixed" as const),
  indent: fc.constantFrom("", "  ", "    ", "\t", " "),
  hasComments: fc.boolean(),
  choices: fc.array(fc.nat(59), { minLength: 7, maxLength: 60 }),
  end: fc.constantFrom("", "\n", "\r\n", "\n\n  ", "\r"),
});

/** Texts without settings, and texts that are none. */
const SPECIAL = [
  ...[
    "",
    " ",
    "\n",
    "\r\n\r\n",
    "// nothing yet",
    "/* nothing\r\n yet */\r\n",
    "\r",
    "{}",
    " {\t}\r\n",
  ],
  ...[
    "null",
    "[]",
    '"text"',
    '{"hooks": ',
    "{]",
    '{"hooks": {}, "hooks": null}',
    "{'a': 1}",
    "\u0000",
  ],
  '{"mcpServers": {"a": {"command": "x"}, "a": {"command": "y"}}}',
] as const;

const jsonText = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.tuple(settingsData, styles).map(([data, { choices, end, ...style }]) => {
      const text = writeJson(data, { ...style, choose: chooserOf(choices) });
      return text + end;
    }),
  },
  fc.constantFrom(...SPECIAL),
);

/** A server of Codex, in each of the forms that TOML has for it. */
function writeTomlServer(
  [name, value]: readonly [string, unknown],
  form: number,
  style: Style,
): string {
  const { choose } = style;
  const key = /^[\w-]+$/.test(name) && choose(2) === 0 ? name : JSON.stringify(name);
  const note = choose(2) === 0 ? " # it's [mcp_servers.no]" : "";
  const string = (text: string): string =>
    choose(3) === 0 && !/['\t]/.test(text)
      ? `'${text}'`
      : choose(4) === 0 && !text.includes('"')
        ? `"""${text.replaceAll("\t", "\\t")}"""`
        : JSON.stringify(text);
  const list = (items: readonly unknown[], mayBreak: boolean): string => {
    const isBroken = mayBreak && choose(2) === 0;
    const gap = isBroken ? ` # "c", ]${eol(style)}\t` : choose(2) === 0 ? " " : "";
    const end = items.length > 0 && choose(2) === 0 ? "," : "";
    return `[${gap}${items.map((item) => (typeof item === "string" ? string(item) : "1")).join(`,${gap}`)}${end}${gap}]`;
  };
  const pairs = Object.entries(value as object).flatMap(([field, item]: [string, unknown]) => {
    if (Array.isArray(item)) return [[field, list(item, form !== 1)]];
    return typeof item === "string" ? [[field, string(item)]] : [[field, "{}"]];
  });
  const gap = choose(2) === 0 ? " " : "";
  const lines = (prefix: string): string =>
    pairs.map(([field, text]) => `${gap}${prefix}${field} = ${text}${note}`).join(eol(style)) +
    eol(style);
  if (form === 0)
    return `[${gap}mcp_servers${gap}.${gap}${key}${gap}]${note}${eol(style)}${lines("")}`;
  if (form === 1) {
    const fields = pairs.map(([field, text]) => `${field}=${text}`).join(", ");
    return `mcp_servers.${key} = {${gap}${fields}${gap}}${note}${eol(style)}`;
  }
  return lines(`mcp_servers${gap}.${key}.`);
}

const tomlText = fc.oneof(
  {
    weight: 9,
    arbitrary: fc
      .tuple(fc.dictionary(serverNames, server, { maxKeys: 4 }), styles, fc.nat(2))
      .map(([data, { choices, ...style }, form]) => {
        const full = { ...style, choose: chooserOf(choices) };
        const good = Object.entries(data).filter(
          ([, value]) => typeof value === "object" && value !== null && !Array.isArray(value),
        );
        const servers = good.map((entry) => writeTomlServer(entry, form, full)).join(eol(full));
        const head = `model = "o5" # mine${eol(full)}notes = """${eol(full)}[mcp_servers.fake]${eol(full)}command = "no"${eol(full)}"""${eol(full)}`;
        const tail = `[other]${eol(full)}at = 1979-05-27T07:32:00Z${eol(full)}[[list]]${eol(full)}a = 0x1F`;
        return `${head}${servers}${tail}`;
      }),
  },
  fc.constantFrom(
    "",
    "\n",
    "# only",
    "a = ",
    "[a]\n[a]",
    "mcp_servers = 1",
    "mcp_servers = []\r\n",
    "a=1\ra=2",
  ),
);

const places = fc.record({
  scope: fc.constantFrom("project" as const, "user" as const),
  mode: fc.constantFrom(0o600, 0o644, 0o664),
  isLink: fc.boolean(),
  hasMark: fc.integer({ min: 0, max: 4 }).map((n) => n === 0),
  isMissing: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
  withTools: fc.boolean(),
  version: fc.constantFrom(undefined, "2.1.325 (Claude Code)"),
});

const cases = fc.constantFrom(...CLIENTS.map(({ name }) => name)).chain((name) =>
  fc.record({
    name: fc.constant(name),
    place: places,
    // The settings of Codex are TOML; its hooks, and everything of the others, are JSON.
    files: fc.tuple(name === "codex" ? tomlText : jsonText, jsonText),
  }),
);

/** A parser that the command does not use for this: what was strict JSON has to stay so. */
function readData(path: string, text: string): unknown {
  const body = text.replace(/^\ufeff/, "");
  if (path.endsWith(".toml")) return parseToml(body);
  if (stripComments(body).trim() === "") return {};
  const errors: ParseError[] = [];
  const data: unknown = parse(body, errors, { allowTrailingComma: true });
  expect(errors).toEqual([]);
  return data;
}

const isStrict = (text: string): boolean => {
  try {
    JSON.parse(text.replace(/^\ufeff/, ""));
    return true;
  } catch {
    return false;
  }
};

/** Everything in a value that is neither a list nor an object, with where it is; lists count by what they hold. */
function leavesOf(value: unknown, path = ""): string[] {
  if (typeof value !== "object" || value === null || value instanceof Date) {
    return [`${path}=${String(value)}`];
  }
  return Object.entries(value).flatMap(([key, item]) =>
    leavesOf(item, `${path}/${Array.isArray(value) ? "" : key}`),
  );
}

/** What `install` may change about a server: how it is started. */
const ofStart = /^\/(?:mcpServers|mcp_servers|servers)\/[^]*\/(?:command|args\/)=/;

/** How many gateways of this client `install` has set up, and how many of its session list the reading tool. */
function countGateways(data: unknown, client: string) {
  const { mcpServers, mcp_servers, servers } = data as Readonly<Record<string, unknown>>;
  const found = [mcpServers, mcp_servers, servers].flatMap((list) =>
    Object.values(list ?? {}).map((one: unknown) => ({ args: [], ...(one as object) }).args),
  );
  const words = found.map((list: unknown) => (Array.isArray(list) ? list.map(String) : []));
  const gateways = words.filter((list) => list.includes("gateway") && list.includes(client));
  const own = gateways.filter((list) => list.includes("--installed-by")).length;
  const listing = gateways.filter((list) => !list.includes("--no-reading-tools")).length;
  return { own, listing };
}

describe("settings files of other people", () => {
  it("are back to the byte after install and uninstall, or were never changed", async () => {
    const outcomes = { installed: 0, refused: 0, unchanged: 0, several: 0 };
    await fc.assert(
      fc.asyncProperty(cases, async ({ name, place, files }) => {
        const { withTools, version } = place;
        const context = { ...newContext(place.scope), withTools, versionOf: () => version };
        const client = clientNamed(name);
        const paths = place.isMissing ? [] : await pathsOf(client, context);
        for (const [at, path] of paths.entries()) {
          const text = (place.hasMark ? "\ufeff" : "") + (files[at] ?? "");
          const real = put(
            place.isLink ? join(context.cwd, `dotfile-${at}${extname(path)}`) : path,
            text,
            place.mode,
          );
          mkdirSync(dirname(path), { recursive: true });
          if (place.isLink) symlinkSync(real, path);
        }
        const before = snapshot(context.cwd);
        try {
          const steps = await install(client, context);
          outcomes[steps.some(({ isChange }) => isChange) ? "installed" : "unchanged"]++;
        } catch (error) {
          expect(error).toBeInstanceOf(CommandError);
          expect((error as Error).message).toContain("nothing was changed");
          expect(snapshot(context.cwd)).toEqual(before);
          outcomes.refused++;
          return;
        }
        const after = snapshot(context.cwd);
        for (const [path, { text, ...rest }] of Object.entries(before) as [
          string,
          { text: string },
        ][]) {
          const now = after[path] as { text: string };
          expect(now).toMatchObject(rest);
          if (now.text === text) continue;
          if (isStrict(text)) expect(isStrict(now.text)).toBe(true);
          const decode = (raw: string) => Buffer.from(raw, "latin1").toString();
          const leaves = new Set(leavesOf(readData(path, decode(now.text))));
          const lost = leavesOf(readData(path, decode(text))).filter((leaf) => !leaves.has(leaf));
          expect(lost.filter((leaf) => !ofStart.test(leaf))).toEqual([]);
          const { own, listing } = countGateways(readData(path, decode(now.text)), name);
          if (own > 1) outcomes.several++;
          if (own > 0) expect(listing).toBe(1);
        }
        await install(client, context);
        expect(snapshot(context.cwd)).toEqual(after);
        await uninstall(client, context);
        expect(snapshot(context.cwd)).toEqual(before);
        await uninstall(client, context);
        expect(snapshot(context.cwd)).toEqual(before);
        rmSync(context.cwd, { recursive: true });
      }),
      { numRuns: RUNS },
    );
    // Most can be helped; a test that only sees refusals proves nothing.
    expect(outcomes.installed).toBeGreaterThan(RUNS / 3);
    expect(outcomes.refused).toBeGreaterThan(RUNS / 50);
    expect(outcomes.several).toBeGreaterThan(RUNS / 50);
  });

  it("keep what clients and people wrote to them in the meantime", async () => {
    const rewritable = CLIENTS.filter(({ name }) => !["codex", "opencode"].includes(name));
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...rewritable), settingsData, async (client, data) => {
        const context = newContext();
        const paths = await pathsOf(client, context);
        for (const path of paths) put(path, JSON.stringify(data));
        await install(client, context).catch(() => undefined);
        for (const path of paths) {
          const now = JSON.parse(readFileSync(path, "utf8")) as object;
          put(path, JSON.stringify({ first: 1, ...now, last: [1] }, null, 4));
        }
        await uninstall(client, context);
        for (const path of paths) {
          expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ first: 1, ...data, last: [1] });
        }
      }),
      { numRuns: runs(200) },
    );
  });

  it("keep comments that were put beside our entries", async () => {
    const context = newContext();
    const path = put(join(context.cwd, "opencode.json"), '{"plugin": ["a"]}');
    const client = clientNamed("opencode");
    await install(client, context);
    const edited = readFileSync(path, "utf8")
      .replace('"a",', '"a", // note\n')
      .replace("]", ', /* theirs */ "b"]');
    writeFileSync(path, edited);
    await uninstall(client, context);
    const text = readFileSync(path, "utf8");
    expect(parse(text)).toEqual({ plugin: ["a", "b"] });
    expect(text).toMatch(/\/\/ note[^]*\/\* theirs \*\//);
  });

  it.each(OTHER_COMMANDS)("keep the hook %j", async (command) => {
    const context = newContext();
    const group = { matcher: "Edit", hooks: [{ type: "command", command }] };
    const path = put(
      join(context.cwd, ".claude/settings.json"),
      JSON.stringify({ hooks: { PostToolUse: [group] } }),
    );
    await install(clientNamed("claude-code"), context);
    const { hooks } = JSON.parse(readFileSync(path, "utf8")) as {
      hooks: { PostToolUse: unknown[] };
    };
    expect(hooks.PostToolUse).toEqual([group, expect.anything()]);
  });

  it.each([
    { command: "other" },
    { command: "node", args: ["/x/main.js", "mcp"] },
    { command: "context-offload", args: ["mcp", "--read-only"] },
  ])("keep the server %j that is named like ours, and say so", async (server) => {
    const context = newContext();
    put(join(context.cwd, ".mcp.json"), JSON.stringify({ mcpServers: { offload: server } }));
    const before = snapshot(context.cwd);
    const client = clientNamed("claude-code");
    await expect(install(client, context)).rejects.toThrow(
      /another MCP server "offload"; rename it/,
    );
    await uninstall(client, context);
    expect(snapshot(context.cwd)).toEqual(before);
  });

  it("keep servers that were put behind the gateway by hand", async () => {
    const context = newContext();
    const byHand = { command: "context-offload", args: ["gateway", "--", "npx", "x"] };
    put(join(context.cwd, ".cursor/mcp.json"), JSON.stringify({ mcpServers: { a: byHand } }));
    const before = snapshot(context.cwd);
    const client = clientNamed("cursor");
    const steps = await install(client, context);
    expect(steps).toEqual([expect.objectContaining({ isChange: false })]);
    expect(await inspect(client, context)).toHaveLength(1);
    await uninstall(client, context);
    expect(snapshot(context.cwd)).toEqual(before);
  });

  it.each([
    "[mcp_servers.x] # comment\ncommand = 'npx'\n",
    "mcp_servers.x = { command = 'npx' }\n",
    "mcp_servers.x.command = 'npx'\n",
    "[mcp_servers]\nx = { args = [], command = 'npx' }\n",
    "[mcp_servers]\nx.command = 'npx'",
    "[ mcp_servers . \"x\" ]\ncommand = '''npx'''",
  ])("are understood in every form of TOML: %j", async (text) => {
    const context = newContext();
    const path = put(join(context.home, ".codex/config.toml"), text);
    await install(clientNamed("codex"), context);
    const { mcp_servers: found } = parseToml(readFileSync(path, "utf8")) as {
      mcp_servers: { x: { command: string; args: string[] } };
    };
    expect(found.x.command).toBe("/usr/bin/node");
    expect(found.x.args.slice(-2)).toEqual(["--", "npx"]);
  });

  it("stay one file when they have two names", async () => {
    const context = newContext();
    const path = put(join(context.cwd, ".cursor/mcp.json"), '{"mcpServers":{"a":{"command":"a"}}}');
    const twin = join(context.cwd, "twin.json");
    linkSync(path, twin);
    await install(clientNamed("cursor"), context);
    expect(readFileSync(twin, "utf8")).toContain("gateway");
    expect(readFileSync(twin)).toEqual(readFileSync(path));
    await uninstall(clientNamed("cursor"), context);
    expect(readFileSync(twin, "utf8")).toBe('{"mcpServers":{"a":{"command":"a"}}}');
  });

  it.each(["link to nothing", "folder", "latin-1"])("are not written over a %s", async (kind) => {
    const context = newContext();
    const path = join(context.cwd, ".claude/settings.json");
    mkdirSync(dirname(path));
    if (kind === "folder") mkdirSync(path);
    else if (kind === "latin-1") put(path, Buffer.from('{"a": "\xe9"}', "latin1"));
    else symlinkSync(join(context.cwd, "nothing"), path);
    const before = readdirSync(context.cwd, { recursive: true });
    await expect(install(clientNamed("claude-code"), context)).rejects.toThrow(
      /nothing was changed/,
    );
    expect(readdirSync(context.cwd, { recursive: true })).toEqual(before);
  });

  it("are all changed or none", async () => {
    const context = newContext();
    const path = put(join(context.cwd, ".claude/settings.json"), "{}");
    symlinkSync(join(context.cwd, "nothing"), join(context.cwd, ".mcp.json"));
    await expect(install(clientNamed("claude-code"), context)).rejects.toThrow(CommandError);
    expect(readFileSync(path, "utf8")).toBe("{}");
  });
});
