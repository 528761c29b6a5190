/** Like the function of Node, which on Windows cannot start the scripts that packages install. */
declare module "cross-spawn" {
  export { spawn as default } from "node:child_process";
}
