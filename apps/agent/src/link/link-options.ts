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
  /** Runs that the server will still get reports for. */
  activeRuns: () => number[]
  /** The version of `set-checks` that is stored completely; 0 = none. */
  checksVersion: () => number
  tasksVersion: () => number
  /** The remote rules; undefined = none were received yet. */
  remoteRules: () => string
  /** Open sessions of remote tools. */
  sessions: () => string[]
  onCommand: (command: SignedCommand) => void
  onBytes: (bytes: Buffer) => void
  onServerTime: (serverTimeMs: number, machineTimeMs: number) => void
  onUp: () => void
  /** The server no longer knows this machine: all remote sessions must end. */
  onForgotten: () => void
  /** Interval of metrics samples. */
  onMetricsInterval: (seconds: number) => void
  onState: (state: LinkState) => void
}
