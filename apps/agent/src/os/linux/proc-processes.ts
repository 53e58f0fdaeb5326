import { readdirSync, readFileSync } from 'node:fs'

interface ProcessEntry {
  pid: number
  parent: number
  group: number
  session: number
}

/**
 * Processes below `root`, in its group or session, and all with the run's mark in their environment: a child that
 * called setsid and lost its parent is found only by the mark. Zombies are not listed.
 */
export function findProcRunProcesses(root: number, marker: string): number[] {
  const entries = listProcesses()
  const found = new Set<number>()
  const mark = Buffer.from(`MUSTER_RUN=${marker}\0`)
  for (const entry of entries) {
    if (entry.pid === process.pid) continue
    const isOfGroup = root > 0 && (entry.pid === root || entry.group === root || entry.session === root)
    if (isOfGroup || carriesMark(entry.pid, mark)) found.add(entry.pid)
  }
  addDescendants(entries, found)
  found.delete(process.pid)
  return [...found]
}

function addDescendants(entries: ProcessEntry[], found: Set<number>): void {
  let before = -1
  while (found.size !== before) {
    before = found.size
    for (const { pid, parent } of entries) if (found.has(parent)) found.add(pid)
  }
}

function listProcesses(): ProcessEntry[] {
  return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? readEntry(Number(name)) : []))
}

function readEntry(pid: number): ProcessEntry[] {
  const stat = tryRead(`/proc/${pid}/stat`)?.toString('latin1')
  if (stat === undefined) return []
  // The name is in parentheses and may contain any character.
  const [state, parent, group, session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (state === 'Z' || state === 'X') return []
  return [{ pid, parent: Number(parent), group: Number(group), session: Number(session) }]
}

function carriesMark(pid: number, mark: Buffer): boolean {
  const environment = tryRead(`/proc/${pid}/environ`)
  if (environment === undefined) return false
  const at = environment.indexOf(mark)
  return at === 0 || (at > 0 && environment[at - 1] === 0)
}

/** Processes exit while the list is read. */
function tryRead(file: string): Buffer | undefined {
  try {
    return readFileSync(file)
  } catch {
    return undefined
  }
}
