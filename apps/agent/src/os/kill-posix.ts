const GRACE_MS = 2000
const LOOK_EVERY_MS = 50
/** How often SIGKILL is repeated, for programs that start new processes as fast as they are killed. */
const MAX_ROUNDS = 20

/** Sends SIGTERM to all processes of `find`, and SIGKILL to those left after two seconds. */
export async function killPosix(root: number, find: () => Promise<number[]>): Promise<void> {
  signalAll(root, await find(), 'SIGTERM')
  const deadline = performance.now() + GRACE_MS
  while (performance.now() < deadline) {
    await sleep(LOOK_EVERY_MS)
    if ((await find()).length === 0) return
  }
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const left = await find()
    if (left.length === 0) return
    signalAll(root, left, 'SIGKILL')
    await sleep(LOOK_EVERY_MS)
  }
}

function signalAll(root: number, pids: number[], signal: NodeJS.Signals): void {
  // Kills the whole group in one call, so that no process forks in between.
  if (root > 0 && pids.length > 0) trySignal(-root, signal)
  for (const pid of pids) trySignal(pid, signal)
}

function trySignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (cause) {
    // It has just exited, or belongs to another user; the next round shows.
    if (!(cause instanceof Error && 'code' in cause)) throw cause
  }
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
