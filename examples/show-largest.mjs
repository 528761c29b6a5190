import { estimateTokens } from "context-offload";
import { bold, countOf, dim, printIndented } from "./print-table.mjs";

/** How many lines of the original are shown. */
const LINES = 3;

/**
 * Prints the largest result before and after, and how a model continues to read.
 *
 * @param {import("context-offload").Workspace} workspace
 * @param {string} sessionId
 * @param {readonly import("context-offload").ResultReport[]} offloaded
 */
export async function showLargest(workspace, sessionId, offloaded) {
  const largest = offloaded.reduce((one, other) =>
    (other.tokens ?? 0) > (one.tokens ?? 0) ? other : one,
  );
  const { messageIndex, artifactId = "", reference = "", tokens = 0, toolName } = largest;
  const message = `Message ${messageIndex + 1}`;
  const { size } = await workspace.getArtifact(artifactId, { sessionId });
  const shown = Math.min(LINES, size.lines);
  const start = await workspace.getKnowledgeByLines(artifactId, 1, shown, {
    sessionId,
    maxChars: 400,
  });
  const rest = `… ${countOf(size.lines - shown, "more line")}, ${countOf(tokens, "token")} in all`;

  console.log(`\n${bold(`${message} before`)}: what ${toolName ?? "the tool"} returned`);
  printIndented(start.text);
  console.log(`  ${dim(rest)}`);

  const after = countOf(estimateTokens(reference), "token");
  console.log(`\n${bold(`${message} after`)}: a reference, ${after}`);
  printIndented(reference);

  const tools = workspace.tools({ sessionId });
  const grep = tools.find(({ name }) => name === "grep_knowledge");
  const input = { artifact_id: artifactId, pattern: "ERROR|[Ff]ail", max_results: 2 };
  const answer = await grep?.execute(input);
  console.log(`\n${bold("The model's next call")}: grep_knowledge ${JSON.stringify(input)}`);
  printIndented(answer?.text ?? "");

  const described = tools.map(({ name, description, inputSchema }) => {
    return { name, description, inputSchema };
  });
  const definitions = estimateTokens(JSON.stringify(described));
  const prompt = estimateTokens(workspace.systemPrompt());
  console.log(`\n${bold("Its tools")}: ${tools.map(({ name }) => name).join(", ")}`);
  printIndented(
    `In every request: ${countOf(definitions, "token")} of definitions, ` +
      `${countOf(prompt, "token")} of system prompt.`,
  );
}
