import { setPriority } from 'node:os'
import type { ProcessTarget } from '@muster/contract/agent/processes'
import { AgentError } from '../errors.ts'
import type { EndOptions } from './os.ts'

const POLITE_MS = 5000
const FORCE_MS = 2000
const LOOK_EVERY_MS = 50

/** One line of the system's list. Zombies are not in it. */
export interface ListedProcess {
  pid: number
  parent: number
  start: string
  name: string
  isStopped: boolean
}

interface System {
  list: () => Promise<ListedProcess[]>
  /** Why the machine needs this process, as a message. */
  vital: (entry: ListedProcess) => string | undefined
  signal: (entry: ListedProcess, force: boolean) => void | Promise<void>
}

/**
 * Ends a process or a process tree. A process is identified by its number and its start time, which is checked right
 * before the signal, so that a process that reuses the number is never hit.
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

/** The process, or a message about why it is gone. */
export function requireProcess(list: ListedProcess[], { pid, start }: ProcessTarget): ListedProcess {
  const found = list.find((entry) => entry.pid === pid)
  if (found === undefined) throw new AgentError(`Process ${pid} has already exited.`)
  if (found.start !== start)
    throw new AgentError(`The process has already exited. Number ${pid} now belongs to ${found.name}.`)
  return found
}

/** Ends a process with SIGTERM or SIGKILL. */
export function signalPosix(entry: ListedProcess, force: boolean): void {
  try {
    process.kill(entry.pid, force ? 'SIGKILL' : 'SIGTERM')
    // A stopped process does not receive SIGTERM.
    if (entry.isStopped && !force) process.kill(entry.pid, 'SIGCONT')
  } catch (cause) {
    const code = errorCode(cause)
    if (code === 'EPERM') throw describeDenied(entry)
    // It has just exited.
    if (code !== 'ESRCH') throw cause
  }
}

/** For systems with one priority per process. */
export function setProcessPriority(entry: ListedProcess, nice: number, id = entry.pid): void {
  try {
    setPriority(id, nice)
  } catch (cause) {
    const code = errorCode(cause)
    // A process that has just exited has no priority.
    if (code === 'ESRCH') return
    if (code === 'EACCES') throw new AgentError('Only an agent that runs as root can raise a priority.')
    if (code === 'EPERM') throw describeDenied(entry)
    throw cause
  }
}

/** The message for a signal that the system refused. */
function describeDenied({ pid, name }: Pick<ListedProcess, 'pid' | 'name'>): AgentError {
  return new AgentError(
    `The agent has no permission for process ${pid} (${name}): it belongs to another user, and the agent does not run as root.`,
  )
}

function refuseVital(root: ListedProcess, meant: Map<number, ListedProcess>, vital: System['vital']): void {
  const why = vital(root)
  if (why !== undefined) throw new AgentError(why)
  if (root.pid === process.pid) throw new AgentError('This is the agent itself. To remove it, use Uninstall.')
  if (meant.has(process.pid))
    throw new AgentError(
      `Process ${root.pid} (${root.name}) has started the agent itself. End only that process.`,
    )
}

/** Adds the child processes, and returns the added ones. */
function addDescendants(list: ListedProcess[], meant: Map<number, ListedProcess>): ListedProcess[] {
  const alive = new Map(list.map((entry) => [entry.pid, entry]))
  const added: ListedProcess[] = []
  let before = -1
  while (added.length !== before) {
    before = added.length
    for (const entry of list) {
      const parent = meant.get(entry.parent)
      // A number that was reused has none of our child processes.
      if (parent === undefined || alive.get(parent.pid)?.start !== parent.start) continue
      if (meant.get(entry.pid)?.start === entry.start) continue
      meant.set(entry.pid, entry)
      added.push(entry)
    }
  }
  return added
}

/** Node stores the code of a failed os call in `info`. */
function errorCode(cause: unknown): unknown {
  if (!(cause instanceof Error)) return undefined
  if ('info' in cause && typeof cause.info === 'object' && cause.info !== null && 'code' in cause.info)
    return cause.info.code
  return 'code' in cause ? cause.code : undefined
}
