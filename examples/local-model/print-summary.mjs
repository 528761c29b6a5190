/**
 * @param {object} run
 * @param {string} run.question
 * @param {string} run.answer
 * @param {string} run.log What the agent's own tool answered.
 * @param {readonly import("./server.mjs").RecordedRequest[]} run.requests
 * @param {number} run.charsSaved How many more characters the requests would have had with the log in them.
 */
export function printSummary({ question, answer, log, requests, charsSaved }) {
  const sizes = requests.map(({ bytes }) => bytes);
  const sent = sizes.reduce((sum, bytes) => sum + bytes, 0);
  const calls = requests.flatMap(({ call }) => (call === undefined ? [] : [call]));
  console.log(`question  ${question}`);
  console.log(`calls     ${calls.join(", then ")}`);
  console.log(`answer    ${answer}`);
  console.log(`the log   ${group(Buffer.byteLength(log))} bytes`);
  console.log(`sent      ${group(sent)} bytes in ${sizes.length} requests: ${list(sizes)}`);
  console.log(
    `saved     ${group(charsSaved)} characters that the log would have added to these requests`,
  );
}

/** @param {readonly number[]} sizes */
function list(sizes) {
  return sizes.map(group).join(", ");
}

/** @param {number} count */
function group(count) {
  return count.toLocaleString("en-US");
}
