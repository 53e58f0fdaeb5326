import { readFile } from 'node:fs/promises'
import { MAX_COMMAND, type MachineProcess } from '@muster/contract/agent/processes'
import { askDisk } from '../ask-disk.ts'
import { programName } from './proc-named.ts'
import type { ProcStat } from './proc-stat.ts'

/** What runs and what sleeps changes with every look, and the share of the processor tells more. */
const STATES: Partial<Record<string, MachineProcess['state']>> = {
  D: 'waiting',
  T: 'stopped',
  t: 'stopped',
  Z: 'ended',
  X: 'ended',
  x: 'ended',
}

export const stateOf = ({ state }: ProcStat) => STATES[state] ?? 'running'
export const niceOf = ({ nice }: ProcStat) => Math.min(19, Math.max(-20, nice))

/** What the process was started with; arguments are separated by zeros. */
export async function readCommand(pid: number): Promise<string> {
  const file = `/proc/${pid}/cmdline`
  try {
    // The kernel lets this wait while the process is held up by a disk that does not answer.
    const text = await askDisk(file, () => readFile(file, 'utf8'))
    return text.replace(/\0+$/, '').replaceAll('\0', ' ').slice(0, MAX_COMMAND)
  } catch {
    // It has just ended, or nobody can tell now.
    return ''
  }
}

/** The kernel cuts names to 15 characters, and programs name their first thread: Node calls it MainThread. */
export function fullName(kernelName: string, command: string): string {
  const program = programName(command.split(' ', 1)[0] ?? '')
  const isCut = program.startsWith(kernelName)
  return (isCut || (kernelName === 'MainThread' && program !== '') ? program : kernelName).slice(0, 255)
}
