import { readdir, readFile } from 'node:fs/promises'

const AGAIN_MS = 50
/** Maximum repetitions, for a program that starts new processes as fast as they are killed. */
const MAX_ROUNDS = 20

/** An environment variable that marks the processes of a web terminal, which are found by it. */
export const markOf = (session: string) => ({ WEBTERM_SESSION: session })

/** Kills processes that a web terminal's shell has left running on this host, also in their own groups. Linux only. */
export async function killRemaining(session: string): Promise<void> {
  if (process.platform !== 'linux') return
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const left = await findMarked(`\0WEBTERM_SESSION=${session}\0`)
    if (left.length === 0) return
    for (const pid of left) kill(pid)
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
  }
}

async function findMarked(mark: string): Promise<number[]> {
  const pids = (await readdir('/proc')).map(Number).filter((pid) => pid > 0)
  const found = await Promise.all(pids.map(async (pid) => (await environmentOf(pid)).includes(mark)))
  return pids.filter((_, index) => found[index])
}

async function environmentOf(pid: number): Promise<string> {
  try {
    return `\0${await readFile(`/proc/${pid}/environ`, 'latin1')}`
  } catch {
    // It has ended, or belongs to another user.
    return ''
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    // It has just ended.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
