import type { KeyObject } from 'node:crypto'
import type { SignedCommand } from '@muster/contract/agent/commands'
import type { Identity } from '../identity/identity.ts'
import type { Log } from '../log/log.ts'
import type { Outbox } from '../state/outbox.ts'

export type LinkState =
  | { state: 'connecting' }
  | { state: 'up'; server_version: string }
  | { state: 'waiting'; reason: string; retry_ms: number }

export interface LinkOptions {
  identity: Identity
  privateKey: KeyObject
  agentVersion: string
  outbox: Outbox
  log: Log
  now: () => number
  /** Runs for which the server will still get reports. */
  activeRuns: () => number[]
  /** The version of `set-checks` that is wholly at hand; 0 = none. */
  checksVersion: () => number
  tasksVersion: () => number
  /** The rules for remote tools; undefined = there have never been any. */
  remoteRules: () => string
  /** Sessions of remote tools that go on. */
  sessions: () => string[]
  onCommand: (command: SignedCommand) => void
  /** A frame of a channel. */
  onBytes: (bytes: Buffer) => void
  onServerTime: (serverTimeMs: number, machineTimeMs: number) => void
  onUp: () => void
  /** The server does not know this machine any more: nobody may have a tool on it. */
  onForgotten: () => void
  /** So many seconds are to lie between two looks of the machine at itself. */
  onMetricsInterval: (seconds: number) => void
  onState: (state: LinkState) => void
}
