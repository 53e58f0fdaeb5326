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
  /** Check results. */
  checkResults: number
  commands: number
  /** Refused commands: wrong signature, expired, for another machine. */
  refusedCommands: number
  refusals: number
  dialErrors: number
  unreadable: number
  /** Size of the downloaded versions of the agent. */
  downloadedBytes: number
  /** The highest number of consecutive failed attempts of one machine. */
  mostFailures: number
}

type RunInput = CommandInput<'run-command'> | CommandInput<'run-script'>

/** State shared by the machines of one fleet. */
export interface FleetCore {
  seed: number
  startedMs: number
  /** ws://host:port */
  linkUrl: string
  clock: Clock
  random: Random
  counts: FleetCounts
  /** The server's command key from the enrolment. */
  commandKey: KeyObject
  /** Nonces of executed commands; they are random, so one set serves all machines. */
  seenNonces: Set<string>
  overrideFacts: ((index: number) => Partial<AgentFacts>) | undefined
  /** Packages per machine. */
  software: number | undefined
  plan: (input: RunInput, hostname: string) => PlannedRun
  noteConnected(): void
  noteDialError(error: Error): void
  noteRefusal(message: string): void
}
