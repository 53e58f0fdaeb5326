import type { KeyObject } from 'node:crypto'
import type { CommandInput } from '@muster/contract/agent/commands'
import type { AgentFacts } from '@muster/contract/agent/facts'
import type { Clock } from './clock.ts'
import type { PlannedRun } from './play-run.ts'
import type { Random } from './random.ts'

export interface FleetCounts {
  connected: number
  /** Sign-ins since the start. */
  connects: number
  reports: number
  /** Results of checks. */
  checkResults: number
  commands: number
  /** Commands that were not carried out: wrong signature, expired, for another machine. */
  refusedCommands: number
  refusals: number
  dialErrors: number
  unreadable: number
  /** Failed attempts in a row of the machine that had most of them. */
  mostFailures: number
}

type RunInput = CommandInput<'run-command'> | CommandInput<'run-script'>

/** What the machines of one fleet have in common. */
export interface FleetCore {
  seed: number
  startedMs: number
  /** ws://host:port */
  linkUrl: string
  clock: Clock
  random: Random
  counts: FleetCounts
  /** The server's command key as enrolment gave it. */
  commandKey: KeyObject
  /** Nonces of commands that were carried out; they are random, so one set serves all machines. */
  seenNonces: Set<string>
  overrideFacts: ((index: number) => Partial<AgentFacts>) | undefined
  /** Packages of each machine. */
  software: number | undefined
  plan: (input: RunInput, hostname: string) => PlannedRun
  noteConnected(): void
  noteDialError(error: Error): void
  noteRefusal(message: string): void
}
