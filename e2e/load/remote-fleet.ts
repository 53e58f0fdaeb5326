import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { FleetCounts } from '@muster/fake-agent/fleet-core'

export type FleetOrder =
  | {
      kind: 'start'
      server: string
      /** Machine number i takes token number i, round and round. */
      tokens: string[]
      count: number
      mode: 'stay' | 'visit'
    }
  | { kind: 'await'; count: number; timeoutMs: number }
  | { kind: 'clear-failures' }
  /** One report of processor load and memory by each machine. */
  | { kind: 'metrics' }
  /** Reports of changes a second, of all machines together. */
  | { kind: 'rate'; reportsPerSecond: number }
  /** Results of checks a second, of all machines together, in reports of so many. */
  | { kind: 'check-rate'; resultsPerSecond: number; resultsPerReport: number }
  /** Until so many checks are known to machines. */
  | { kind: 'await-checks'; count: number; timeoutMs: number }
  /** Until the server has acknowledged everything. */
  | { kind: 'await-acknowledged'; timeoutMs: number }
  /** One machine reports what its checks found in so many days. */
  | { kind: 'past'; agentId: string; days: number; everySeconds: number }
  /** These machines, or all of them, find their processors that busy. */
  | { kind: 'cpu'; agentId?: string; percent: number }
  | { kind: 'look' }

export interface FleetState {
  counts: FleetCounts
  /** Answered to `start` only. */
  agentIds: string[]
  hostnames: string[]
  memoryMb: number
}

export interface RemoteFleet extends AsyncDisposable {
  ask(order: FleetOrder): Promise<FleetState>
}

type Answer = { state: FleetState } | { error: string }

/** A process that will hold simulated machines. */
export function openRemoteFleet(): RemoteFleet {
  const child = fork(join(import.meta.dirname, 'fleet-process.ts'), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const ended = once(child, 'exit')
  return {
    async ask(order) {
      const answered = once(child, 'message')
      child.send(order)
      const [message] = await Promise.race([
        answered,
        ended.then(() => [{ error: 'the process of the fleet ended' }]),
      ])
      // Only fleet-process.ts sends here.
      const answer = message as Answer
      if ('error' in answer) throw new Error(answer.error)
      return answer.state
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
