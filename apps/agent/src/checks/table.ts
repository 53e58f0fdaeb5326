import type { CheckDefinition, MachineCheckType, Measured } from '@muster/contract/agent/checks'
import type { Log } from '../log/log.ts'
import type { Probes } from '../os/probes.ts'
import type { CheckScripts } from './check-scripts.ts'

/**
 * Every type of check. The code of a type is loaded with its first check, because most machines use only a few
 * types.
 *
 * A new type needs: its settings and its measurement (contract/src/agent/checks.ts), the fields of its form
 * (contract/src/api/checks.ts), its verdict and series (rules/src/checks/table.ts), a file in this folder and a line
 * here. Differences between systems belong in os/probes.ts.
 */
export const checkTable: { [Type in MachineCheckType]: () => Promise<CheckKind<Type>> } = {
  diskspace: async () => (await import('./diskspace.ts')).diskspace,
  cpuload: async () => (await import('./cpuload.ts')).cpuload,
  memory: async () => (await import('./memory.ts')).memory,
  ping: async () => (await import('./ping.ts')).ping,
  service: async () => (await import('./service.ts')).service,
  script: async () => (await import('./script.ts')).script,
  process: async () => (await import('./process.ts')).processCheck,
  file: async () => (await import('./file.ts')).file,
  eventlog: async () => (await import('./eventlog.ts')).eventlog,
  journal: async () => (await import('./journal.ts')).journal,
}

export async function loadCheckTypes(): Promise<void> {
  await Promise.all(Object.values(checkTable).map((load) => load()))
}

export type DefinitionOf<Type extends MachineCheckType> = Extract<CheckDefinition, { check_type: Type }>
type MeasuredOf<Type extends MachineCheckType> = Extract<Measured, { check_type: Type }>

/** State that a check keeps between its runs. Dropped with the check. */
export interface CheckMemory {
  cpu?: { atMs: number; busy: number; total: number }
}

export interface CheckContext {
  probes: Probes
  scripts: CheckScripts
  memory: CheckMemory
  /** Checks that have started and not finished, including those that timed out. */
  hanging: Set<number>
  log: Log
  /** Aborted when the result is no longer needed or the time limit is over. */
  signal: AbortSignal
}

/** Measures one type of check. Throws MeasureError with a message for users if the machine cannot measure it. */
export interface CheckKind<Type extends MachineCheckType> {
  /** Time limit of one measurement. */
  limitMs: (definition: DefinitionOf<Type>) => number
  measure: (definition: DefinitionOf<Type>, context: CheckContext) => Promise<MeasuredOf<Type>>
}
