import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { runCommand } from "../../scripts/run-command.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

it("attacks with random seeds print how to repeat a round that failed", async () => {
  // A round without a test fails at once.
  const args = ["scripts/attack.mjs", "--minutes", "1", "--runs", "2", "no-such-test"];
  const { code, stdout, stderr } = await runCommand(process.execPath, args, { cwd: ROOT });
  expect(code).toBe(1);
  const [command] =
    /FC_SEED=\d+ ADVERSARIAL_RUNS=2 npx vitest run .*no-such-test/.exec(stdout) ?? [];
  expect(command).toBeDefined();
  expect(stderr).toContain(`attack: round 1 failed. Repeat it with: ${command}`);
});
