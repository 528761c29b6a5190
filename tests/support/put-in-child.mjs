/** Puts artifacts into a store and prints a line for each; run as a process of its own. */
import { createWorkspace } from "context-offload";

const [store, namespace, name = "", count] = process.argv.slice(2);
const workspace = createWorkspace({ store, namespace });
for (let index = 0; index < Number(count); index++) {
  const content = `${name} ${index} `.repeat(300);
  try {
    const { record } = await workspace.put(
      { content },
      { toolCallId: `call_${index}`, sessionId: name },
    );
    process.stdout.write(
      `${JSON.stringify({ id: record.artifactId, sessionId: name, content })}\n`,
    );
  } catch (error) {
    process.stdout.write(`${JSON.stringify({ error: String(error) })}\n`);
  }
}
await workspace.close();
