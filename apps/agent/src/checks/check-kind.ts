import type { CheckDefinition, MachineCheckType, Measured } from '@muster/contract/agent/checks'
import type { Log } from '../log/log.ts'
import type { Probes } from '../os/probes.ts'
import type { CheckScripts } from './check-scripts.ts'

export type DefinitionOf<Type extends MachineCheckType> = Extract<CheckDefinition, { check_type: Type }>
export type MeasuredOf<Type extends MachineCheckType> = Extract<Measured, { check_type: Type }>

/** What a check remembers from one run to the next; it is gone with the check. */
export interface CheckMemory {
  cpu?: { atMs: number; busy: number; total: number }
}

export interface CheckContext {
  probes: Probes
  scripts: CheckScripts
  memory: CheckMemory
  /** Checks that have begun and not come to their end, given up or not. */
  hanging: Set<number>
  log: Log
  /** The result is not wanted any more, or its time is over. */
  signal: AbortSignal
}

/** One type of check. Throws Unmeasurable with a sentence where this machine cannot tell. */
export interface CheckKind<Type extends MachineCheckType> {
  /** Beyond this the check is given up. */
  limitMs: (definition: DefinitionOf<Type>) => number
  measure: (definition: DefinitionOf<Type>, context: CheckContext) => Promise<MeasuredOf<Type>>
}
