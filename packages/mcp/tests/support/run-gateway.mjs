/** Runs a gateway on standard input and output, with the options in its first argument, as JSON. */
import { createWorkspace } from "context-offload";
import { createGateway, isSwitchedOff, parseGatewayConfig } from "@context-offload/mcp";

const { root, config, limits, sessionId } = JSON.parse(process.argv[2] ?? "{}");
const { servers, policy } = parseGatewayConfig(config);
const workspace = createWorkspace({ root });
const gateway = createGateway({
  ...{ servers, policy, workspace, limits, sessionId },
  isOff: () => isSwitchedOff(root),
});
await gateway.serveStdio();
await workspace.close();
