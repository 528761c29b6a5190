/** How many turns of the event loop pass while `work` runs: others were served so many times. */
export async function countTurns(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isRunning = true;
  const turn = (): void => {
    turns += 1;
    if (isRunning) setImmediate(turn);
  };
  setImmediate(turn);
  try {
    await work();
  } finally {
    isRunning = false;
  }
  return turns;
}
