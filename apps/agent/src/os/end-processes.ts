import { setPriority } from 'node:os'
import type { ProcessTarget } from '@muster/contract/agent/processes'
import { MachineRefused } from './machine-refused.ts'
import type { EndOptions } from './process-tools.ts'

const POLITE_MS = 5000
const FORCE_MS = 2000
const LOOK_EVERY_MS = 50

/** One line of the system's list. What has ended and was not asked after is not in it. */
export interface ListedProcess {
  pid: number
  parent: number
  start: string
  name: string
  isStopped: boolean
}

interface System {
  list: () => Promise<ListedProcess[]>
  /** Why the machine cannot do without this one, as a sentence. */
  vital: (entry: ListedProcess) => string | undefined
  signal: (entry: ListedProcess, force: boolean) => void | Promise<void>
}

/**
 * Ends a process, or a tree of them. Each is known by its number and its start together, and looked at right before
 * its signal, so that a process that has got the number of an ended one is never hit.
 */
export async function endProcesses(
  target: ProcessTarget,
  { force, tree }: EndOptions,
  { list, vital, signal }: System,
): Promise<{ name: string; ended: number; left: number[] }> {
  const first = await list()
  const root = requireProcess(first, target)
  const meant = new Map([[root.pid, root]])
  if (tree) addDescendants(first, meant)
  refuseVital(root, meant, vital)
  await signalAll(meant.values())
  const deadline = performance.now() + (force ? FORCE_MS : POLITE_MS)
  for (;;) {
    const now = await list()
    if (tree) await signalAll(addDescendants(now, meant))
    const left = now.filter((entry) => meant.get(entry.pid)?.start === entry.start)
    if (left.length === 0 || performance.now() > deadline)
      return {
        name: root.name.slice(0, 255),
        ended: meant.size - left.length,
        left: left.map(({ pid }) => pid),
      }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
  }

  async function signalAll(entries: Iterable<ListedProcess>): Promise<void> {
    for (const entry of entries) await signal(entry, force)
  }
}

/** The process that is meant, or a sentence about what became of it. */
export function requireProcess(list: ListedProcess[], { pid, start }: ProcessTarget): ListedProcess {
  const found = list.find((entry) => entry.pid === pid)
  if (found === undefined) throw new MachineRefused(`Process ${pid} has already ended.`)
  if (found.start !== start)
    throw new MachineRefused(
      `The process that is meant has already ended; number ${pid} belongs to another one now, ${found.name}.`,
    )
  return found
}

/** Asks a process to end, or makes it, on systems with signals. */
export function signalPosix(entry: ListedProcess, force: boolean): void {
  try {
    process.kill(entry.pid, force ? 'SIGKILL' : 'SIGTERM')
    // One that is stopped does not hear of it.
    if (entry.isStopped && !force) process.kill(entry.pid, 'SIGCONT')
  } catch (cause) {
    const code = errorCode(cause)
    if (code === 'EPERM') throw describeDenied(entry)
    // It has just ended by itself.
    if (code !== 'ESRCH') throw cause
  }
}

/** Where a process has one priority for all that it does. */
export function setProcessPriority(entry: ListedProcess, nice: number, id = entry.pid): void {
  try {
    setPriority(id, nice)
  } catch (cause) {
    const code = errorCode(cause)
    // What has just ended has no priority.
    if (code === 'ESRCH') return
    if (code === 'EACCES')
      throw new MachineRefused('Only an agent that runs as root can make a process more urgent.')
    if (code === 'EPERM') throw describeDenied(entry)
    throw cause
  }
}

/** The sentence for a signal that the system did not let through. */
function describeDenied({ pid, name }: Pick<ListedProcess, 'pid' | 'name'>): MachineRefused {
  return new MachineRefused(
    `The agent may not touch process ${pid} (${name}): it belongs to another user, and the agent does not run as root.`,
  )
}

function refuseVital(root: ListedProcess, meant: Map<number, ListedProcess>, vital: System['vital']): void {
  const why = vital(root)
  if (why !== undefined) throw new MachineRefused(why)
  if (root.pid === process.pid)
    throw new MachineRefused('This is the agent itself. Use Uninstall to remove it from the machine.')
  if (meant.has(process.pid))
    throw new MachineRefused(
      `The agent itself is among what process ${root.pid} (${root.name}) has started. End it alone.`,
    )
}

/** Adds what they have started, and answers what was added. */
function addDescendants(list: ListedProcess[], meant: Map<number, ListedProcess>): ListedProcess[] {
  const alive = new Map(list.map((entry) => [entry.pid, entry]))
  const added: ListedProcess[] = []
  let before = -1
  while (added.length !== before) {
    before = added.length
    for (const entry of list) {
      const parent = meant.get(entry.parent)
      // A number that has gone to another process has no children of ours.
      if (parent === undefined || alive.get(parent.pid)?.start !== parent.start) continue
      if (meant.get(entry.pid)?.start === entry.start) continue
      meant.set(entry.pid, entry)
      added.push(entry)
    }
  }
  return added
}

/** Node keeps the code of a failed call of its own module in `info`. */
function errorCode(cause: unknown): unknown {
  if (!(cause instanceof Error)) return undefined
  if ('info' in cause && typeof cause.info === 'object' && cause.info !== null && 'code' in cause.info)
    return cause.info.code
  return 'code' in cause ? cause.code : undefined
}
