import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  createOffloader,
  createWorkspace,
  redactSecrets,
  type WorkspaceEvent,
} from "../../../src/index.js";
import { SECRET_PATTERNS } from "../../../src/core/redact-secrets.js";
import { parseConversation } from "../../../src/formats/index.js";
import { makeTempFolder } from "../../support/temp-folder.js";

// Put together here, so that no scanner takes this file for a leak.
const join_ = (...parts: string[]) => parts.join("");
const EXAMPLES: Record<string, { secret: string; harmless: string[] }> = {
  "private key": {
    secret: join_(
      "-----BEGIN RSA PRIVATE ",
      "KEY-----\nMIIEowIBAAKCAQEA\n-----END RSA PRIVATE KEY-----",
    ),
    harmless: ["-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----", "BEGIN PRIVATE KEY"],
  },
  "AWS access key": {
    secret: join_("AK", "IAIOSFODNN7EXAMPLE"),
    harmless: ["AKIA", "XAKIAIOSFODNN7EXAMPLEX"],
  },
  "AWS secret key": {
    secret: join_("aws_secret_access_key = ", "wJalrXUtnFEMIbK7MDENGbPxRfiCYEXAMPLEKEYa"),
    harmless: ["aws_secret_access_key = ${SECRET}", "sha wJalrXUtnFEMIbK7MDENGbPxRfiCYEXAMPLEKEYa"],
  },
  "Google API key": {
    secret: join_("AI", "zaSyA-1234567890abcdefghijklmnopqrstu"),
    harmless: ["AIzaSy short"],
  },
  "Google OAuth token": {
    secret: join_("ya29.", "a0AfH6SMBx1234567890abcdef"),
    harmless: ["ya29.x"],
  },
  "GitHub token": {
    secret: join_("gh", "p_", "a".repeat(36)),
    harmless: ["ghp_short", "github_pattern_of_things"],
  },
  "GitLab token": {
    secret: join_("glp", "at-", "abcdefghij0123456789"),
    harmless: ["glpat-", "npm-glpat"],
  },
  "Slack token": {
    secret: join_("xox", "b-123456789012-abcdefghij"),
    harmless: ["xoxb", "foxb-123456789012"],
  },
  "Slack webhook": {
    secret: join_("https://hooks.slack.com/", "services/T00000000/B00000000/XXXXXXXXXXXXXXXX"),
    harmless: ["https://hooks.slack.com/docs"],
  },
  "Stripe key": {
    secret: join_("sk_", "live_", "4eC39HqLyjWDarjtT1zdp7dc"),
    harmless: ["sk_live_x", "task_live_4eC39HqLyjWDarjtT1zdp7dc"],
  },
  "Anthropic key": { secret: join_("sk-", "ant-api03-", "a".repeat(40)), harmless: ["sk-ant-x"] },
  "OpenAI key": {
    secret: join_("sk-", "proj-", "a".repeat(40)),
    harmless: ["sk-projection-of-things", "sk-learn"],
  },
  "Hugging Face token": { secret: join_("hf", "_", "a".repeat(34)), harmless: ["hf_hub_download"] },
  "npm token": { secret: join_("npm", "_", "a1".repeat(18)), harmless: ["npm_config_registry"] },
  "PyPI token": {
    secret: join_("pypi-", "AgEIcHlwaS5vcmc", "a".repeat(50)),
    harmless: ["pypi-server"],
  },
  "SendGrid key": {
    secret: join_("SG.", "a".repeat(22), ".", "b".repeat(43)),
    harmless: ["SG.1.2"],
  },
  "Twilio key": { secret: join_("SK", "0123456789abcdef".repeat(2)), harmless: ["SK0123"] },
  "DigitalOcean token": {
    secret: join_("dop", "_v1_", "0123456789abcdef".repeat(4)),
    harmless: ["dop_v1_x"],
  },
  "Azure storage key": {
    secret: join_("Account", "Key=", "a".repeat(86), "=="),
    harmless: ["AccountKey=short"],
  },
  "JSON web token": {
    secret: join_(
      "eyJhbGciOiJIUzI1NiJ9.",
      "eyJzdWIiOiIxMjM0NTY3ODkwIn0.",
      "dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P",
    ),
    harmless: ["eyJhbGciOiJIUzI1NiJ9", "a.b.c"],
  },
  password: {
    secret: join_("postgres://admin:", "hunter2@db.internal:5432/app"),
    harmless: [
      "http://localhost:8080/path@2",
      "postgres://db.internal/app",
      "see https://example.org/a:b",
    ],
  },
  "bearer token": {
    secret: join_("Authorization: Bearer ", "abcdefghijklmnop1234"),
    harmless: ["Authorization: Bearer <token>", "authorization is hard"],
  },
  secret: {
    secret: join_('"api_key": "', 'abcdefghijkl1234"'),
    harmless: ['"api_key": "short"', "token: none", 'password = "${DB_PASSWORD} or so"'],
  },
};

describe("redactSecrets", () => {
  it.each(SECRET_PATTERNS.map(({ name }) => name))(
    "finds a %s, and nothing that only looks like one",
    (name) => {
      const { secret = "", harmless = [] } = EXAMPLES[name] ?? {};
      const redacted = redactSecrets(`before ${secret} after`);
      expect(redacted).toMatch(/^before .*\[redacted [^\]]+\].* after$/s);
      expect(redacted).toContain(`[redacted ${name}]`);
      for (const text of harmless) expect(redactSecrets(text)).toBe(text);
    },
  );

  it("redacts nothing twice", () => {
    for (const { secret } of Object.values(EXAMPLES)) {
      const once = redactSecrets(secret);
      expect(redactSecrets(once)).toBe(once);
    }
  });
});

describe("redact", () => {
  const secret = EXAMPLES["AWS access key"]?.secret ?? "";
  const log = Array.from({ length: 2_000 }, (_, i) =>
    i % 500 === 0 ? `key ${secret}` : `line ${i}`,
  ).join("\n");

  async function everythingIn(folder: string): Promise<string> {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    return (
      await Promise.all(files.map((entry) => readFile(join(entry.parentPath, entry.name), "utf8")))
    ).join("\n");
  }

  it("keeps secrets out of the store, counts them, and says so on restore", async () => {
    const root = await makeTempFolder();
    const events: WorkspaceEvent[] = [];
    const workspace = createWorkspace({
      root,
      redact: redactSecrets,
      logger: (event) => events.push(event),
    });
    const offloader = createOffloader({ workspace, sessionId: "s" });
    const history = [
      { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "log", input: {} }] },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "t1", content: [{ type: "text", text: log }] },
        ],
      },
    ];
    const { messages } = await offloader.offload(history);
    expect(JSON.stringify(messages)).not.toContain(secret);
    expect(await everythingIn(root)).not.toContain(secret);
    expect(events).toContainEqual(expect.objectContaining({ event: "offload", redactions: 4 }));
    const redacted: unknown[] = [];
    const restored = await offloader.restore(messages, {
      onRedacted: (result) => redacted.push(result),
    });
    expect(JSON.stringify(restored)).toBe(
      JSON.stringify(history).replaceAll(secret, "[redacted AWS access key]"),
    );
    expect(redacted).toEqual([
      { messageIndex: 1, toolCallId: "t1", artifactId: "t1", redactions: 4 },
    ]);
    expect((await workspace.getArtifact("t1", { sessionId: "s" })).metadata["redactions"]).toBe(4);
    expect((await workspace.verify()).damaged).toEqual([]);
  });

  it("knows a result again on later turns, in this process and in another", async () => {
    const root = await makeTempFolder();
    const history = () => [
      { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "log", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: log }] },
    ];
    let before: unknown;
    for (let process = 0; process < 2; process++) {
      const events: WorkspaceEvent[] = [];
      const workspace = createWorkspace({
        root,
        redact: redactSecrets,
        logger: (event) => events.push(event),
      });
      const offloader = createOffloader({ workspace, sessionId: "s" });
      for (let turn = 0; turn < 3; turn++) {
        const { messages } = await offloader.offload(history());
        expect(messages).toEqual(before ?? messages);
        before = messages;
      }
      expect(events.filter(({ event }) => event === "offload").length).toBeLessThanOrEqual(1);
      const { artifacts } = await workspace.queryArtifacts({}, { sessionId: "s" });
      expect(artifacts).toHaveLength(1);
    }
  });

  it("never stores a plain hash of what was redacted", async () => {
    const root = await makeTempFolder();
    const workspace = createWorkspace({ root, redact: () => "[redacted all]" });
    const { createHash } = await import("node:crypto");
    await workspace.put({ content: "hunter2" }, { toolCallId: "t1", sessionId: "s" });
    const plain = createHash("sha256").update("hunter2").digest("hex");
    expect(await everythingIn(root)).not.toContain(plain.slice(0, 8));
  });

  it("reads a stream to its end first, since a secret may lie across two chunks", async () => {
    const workspace = createWorkspace({ root: await makeTempFolder(), redact: redactSecrets });
    const bytes = Buffer.from(log);
    async function* halves(): AsyncGenerator<Uint8Array> {
      const middle = bytes.indexOf(secret) + 8;
      yield bytes.subarray(0, middle);
      await Promise.resolve();
      yield bytes.subarray(middle);
    }
    await workspace.put({ content: halves() }, { toolCallId: "t1", sessionId: "s" });
    expect(await workspace.getOriginal("t1", { sessionId: "s" })).not.toContain(secret);
  });

  it("covers the raw JSON of recorded files, and every string of blocks and keys", async () => {
    const root = await makeTempFolder();
    const workspace = createWorkspace({ root, redact: redactSecrets });
    const block = { type: "text", text: `${log} \u00e9` };
    const message = {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "t1", content: [block] }],
    };
    const line = JSON.stringify({ type: "user", sessionId: "s", uuid: "u", message }).replace(
      "é",
      "\\u00e9",
    );
    const file = parseConversation(`${line}\n`);
    const offloader = createOffloader({ workspace, sessionId: "s", format: file.format });
    const { messages } = await offloader.offload(file.messages);
    expect(await everythingIn(root)).not.toContain(secret);
    const restored = file.stringify(await offloader.restore(messages));
    expect(JSON.parse(restored)).toEqual(
      JSON.parse(line.replaceAll(secret, "[redacted AWS access key]")),
    );
  });

  it("stores nothing if the function fails, and says whose fault it is", async () => {
    const workspace = createWorkspace({
      root: await makeTempFolder(),
      redact: () => {
        throw new Error("no rules");
      },
    });
    await expect(workspace.put({ content: "text" }, { sessionId: "s" })).rejects.toMatchObject({
      code: "CALLER_FAILED",
    });
    expect((await workspace.queryArtifacts()).artifacts).toEqual([]);
  });
});
