import { realpathSync } from 'node:fs'
import { CliError } from '../errors.ts'
import { os } from '../os/index.ts'
import { catchesSignal } from '../os/linux/proc-stat.ts'
import type { RunningProgram } from '../os/os.ts'
import { RESTART_SIGNAL } from '../update/restart-process.ts'

// Finds the processes of an agent by their command lines, never by a stored number, which another program may have by
// now: Node whose script is an agent's. A service manager, a container or a user may have started them.

/** Agents that use this data folder, and agents whose program is in this folder. */
export interface WhichAgents {
  dataFolder?: string | undefined
  programFolder?: string | undefined
}

/** An agent needs it to end its runs and its link; TimeoutStopSec of its unit is the same. */
const STOP_MS = 15_000
const KILL_MS = 5000
const LOOK_EVERY_MS = 100

/**
 * Ends agents with SIGTERM, as service managers do, and after 15 seconds with SIGKILL, together with the child processes
 * of their program. An agent that is started again meanwhile is ended, too. Throws CliError if a process is left.
 */
export async function endAgents(which: WhichAgents): Promise<void> {
  const asked = new Set<string>()
  const startMs = performance.now()
  for (;;) {
    const found = await findAgents(which)
    if (found.length === 0) return
    const passedMs = performance.now() - startMs
    if (passedMs > STOP_MS + KILL_MS)
      throw new CliError(`failed to end the agent, process ${listPids(found)}. End it, then try again`)
    for (const program of found) {
      const key = `${program.pid} ${program.start}`
      if (passedMs > STOP_MS) signal(program, 'SIGKILL')
      else if (stays(program) && !asked.has(key)) signal(program, 'SIGTERM')
      asked.add(key)
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
  }
}

/**
 * On Linux, has agents that were started before this process replace their program by the installed version, and keep
 * their number: a service manager goes on watching them. Returns a message for each.
 */
export async function restartAgents(programFolder: string): Promise<string[]> {
  const tools = await os.loadProcessTools()
  const own = (await tools.listPrograms()).find(({ pid }) => pid === process.pid)
  const before = (await findAgents({ programFolder })).filter(
    (program) => stays(program) && Number(program.start) < Number(own?.start),
  )
  return before.map((program) => {
    const { pid } = program
    // Versions without this signal would end, and nobody may start them again.
    if (!catchesSignal(pid, RESTART_SIGNAL.number))
      return `The version before still runs as process ${pid}. Restart it with your service manager, or stop it with "kill ${pid}" and start "muster-agent run" again.`
    signal(program, RESTART_SIGNAL.name)
    return `The running agent, process ${pid}, restarts with the installed version.`
  })
}

async function findAgents({ dataFolder, programFolder }: WhichAgents): Promise<RunningProgram[]> {
  const programs = await (await os.loadProcessTools()).listPrograms()
  const above = findAncestors(programs)
  return programs.filter((program) => {
    const isMeant =
      (programFolder !== undefined && runsFrom(program, programFolder)) ||
      (dataFolder !== undefined && usesData(program, dataFolder))
    // "uninstall" waits for the package manager that has started this process.
    return isMeant && (stays(program) || !above.has(program.pid))
  })
}

/** This process, its parent, and so on. */
function findAncestors(programs: RunningProgram[]): Set<number> {
  const parents = new Map(programs.map(({ pid, parent }) => [pid, parent]))
  const found = new Set<number>()
  for (
    let pid: number | undefined = process.pid;
    pid !== undefined && !found.has(pid);
    pid = parents.get(pid)
  )
    found.add(pid)
  return found
}

/** An agent that runs, rather than one of its child processes or another command. */
const stays = ({ nodeCommand }: RunningProgram) =>
  /\.(?:mjs|ts)"?\s(?:.*\s)?(?:run|service|--run)(?:\s|$)/.test(nodeCommand)

function runsFrom({ nodeCommand }: RunningProgram, folder: string): boolean {
  const script = String.raw`[/\\][^\s"]*\.mjs(?:["\s]|$)`
  return pathsOf(folder).some((path) => matches(nodeCommand, `[\\s"]${escapeForRegExp(path)}${script}`))
}

function usesData(program: RunningProgram, folder: string): boolean {
  const { nodeCommand } = program
  const isAgent = /[/\\](?:muster-agent|agent|main)\.(?:mjs|ts)["\s]/.test(nodeCommand) && stays(program)
  if (!isAgent) return false
  if (!/\s--data[\s=]/.test(nodeCommand)) return folder === os.defaultDataFolder()
  return pathsOf(folder).some((path) =>
    matches(nodeCommand, `\\s--data[\\s=]"?${escapeForRegExp(path)}"?(?:\\s|$)`),
  )
}

/** As given, and without symbolic links. */
function pathsOf(folder: string): string[] {
  try {
    return [folder, realpathSync(folder)]
  } catch {
    // It is gone, and its agent still runs.
    return [folder]
  }
}

const escapeForRegExp = (text: string) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)

const matches = (text: string, pattern: string) =>
  new RegExp(pattern, process.platform === 'win32' ? 'i' : '').test(text)

function signal({ pid }: RunningProgram, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (cause) {
    // It has just exited. One of another user is named when the time is over.
    if (!(cause instanceof Error && 'code' in cause)) throw cause
  }
}

const listPids = (programs: RunningProgram[]) => programs.map(({ pid }) => pid).join(', ')
