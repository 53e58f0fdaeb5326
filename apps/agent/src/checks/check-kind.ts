import type { CheckDefinition, MachineCheckType, Measured } from '@muster/contract/agent/checks'
import type { Log } from '../log/log.ts'
import type { Probes } from '../os/probes.ts'
import type { CheckScripts } from './check-scripts.ts'

export type DefinitionOf<Type extends MachineCheckType> = Extract<CheckDefinition, { check_type: Type }>
export type MeasuredOf<Type extends MachineCheckType> = Extract<Measured, { check_type: Type }>

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

/** Measures one type of check. Throws Unmeasurable with a message for users if the machine cannot measure it. */
export interface CheckKind<Type extends MachineCheckType> {
  /** Time limit of one measurement. */
  limitMs: (definition: DefinitionOf<Type>) => number
  measure: (definition: DefinitionOf<Type>, context: CheckContext) => Promise<MeasuredOf<Type>>
}
