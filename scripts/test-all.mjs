/** `npm test`: every check, every test, the build. */
import { PIPELINE, runSteps } from "./pipeline.mjs";

console.log(
  "npm test: all checks, all tests with coverage, and the build. About five minutes on two cores; the first " +
    "time a minute more, for the bundlers and runtimes that the package is tried with.",
);
process.exitCode = await runSteps(PIPELINE, (text) => {
  console.log(`npm test ${text}`);
});
