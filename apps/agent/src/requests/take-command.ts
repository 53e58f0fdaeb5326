import type { KeyObject } from 'node:crypto'
import type { SignedCommand } from '@muster/contract/agent/commands'
import { type Nonces, type Verdict, verifyCommand, type VerifyContext } from '../link/verify-command.ts'
import type { Log } from '../log/log.ts'
import { NOTHING_RAN } from '../run/run-outcome.ts'
import type { Runs } from '../run/runs.ts'
import type { Outbox } from '../state/outbox.ts'
import type { State } from '../state/state.ts'
import type { CommandContext } from './command.ts'
import { REMOTE_COMMANDS } from './remote.ts'
import { commandTable } from './table.ts'

/** Limit for refusals waiting for the server: forged commands must not fill the disk with them. */
const MAX_WAITING_REFUSALS = 1000

export interface TakeOptions {
  commandKey: KeyObject
  agentId: string
  agentVersion: string
  state: State
  nonces: Nonces
  outbox: Outbox
  runs: Runs
  log: Log
  now: () => number
  startedAt: number
  clockTrouble: () => string | undefined
  sendError: (code: string, message: string) => void
  context: Omit<CommandContext, 'payload' | 'expiresAtMs' | 'runs'>
}

/** Verifies a command from the link and runs it, refuses it, or handles a repeated one. */
export function takeCommand(command: SignedCommand, options: TakeOptions): void {
  const verdict = verifyCommand(command, verifyContext(options))
  if (verdict.verdict === 'refused') return refuse(verdict, options)
  if (verdict.verdict === 'repeated') return reportRepeated(verdict.payload, options)
  const { payload, expiresAtMs } = verdict
  const { runs, nonces, state, log } = options
  const known = commandTable[payload.name]
  const refuseSigned = (sentence: string) =>
    refuse(
      { verdict: 'refused', signed: true, historyId: payload.history_id, nonce: payload.nonce, sentence },
      options,
    )

  const checked = known.check(payload.input)
  if ('wrong' in checked) return refuseSigned(`The machine refused the command. ${checked.wrong}`)
  const closed = REMOTE_COMMANDS.has(payload.name) ? options.context.remote.gate.whyNot() : undefined
  if (closed !== undefined) {
    log.info({ command: payload.name, author: payload.author, reason: closed }, 'remote tool refused')
    if (known.isRun) return refuseSigned(closed)
    state.write(() => nonces.remember(payload.nonce, expiresAtMs))
    return options.context.sendReply({ nonce: payload.nonce, refused: closed, answer: null })
  }
  if (known.isRun && payload.history_id === null) {
    return refuseSigned('The machine refused the command. It names no history row for its result.')
  }
  if (known.isRun && payload.history_id !== null) {
    if (runs.isActive(payload.history_id)) {
      return options.sendError('refused', 'Refused a command whose history id belongs to a run in progress.')
    }
    const earlier = runs.find(payload.history_id)
    // The cancellation arrived before the command.
    if (earlier?.nonce === '') return runs.repeatState(earlier)
  }
  log.info(
    { command: payload.name, author: payload.author, history_id: payload.history_id },
    'command accepted',
  )
  const context: CommandContext = { ...options.context, runs, payload, expiresAtMs }
  // One transaction: no command starts without its nonce on disk, and no nonce is stored without its command.
  const work = state.write(() => {
    nonces.remember(payload.nonce, expiresAtMs)
    return checked.take(context)
  })
  work?.catch((cause: unknown) => log.error({ command: payload.name, cause }, 'command failed'))
}

function verifyContext(options: TakeOptions): VerifyContext {
  const { commandKey, agentId, agentVersion, nonces, state, startedAt } = options
  return {
    commandKey,
    agentId,
    agentVersion,
    now: options.now(),
    clockTrouble: options.clockTrouble(),
    wasSeen: (nonce) => nonces.wasSeen(nonce),
    notBefore: state.completeAtStart ? null : startedAt,
  }
}

function refuse(verdict: Extract<Verdict, { verdict: 'refused' }>, options: TakeOptions): void {
  const { historyId, nonce, sentence, signed } = verdict
  const { log, outbox, runs, sendError } = options
  log.warn({ history_id: historyId, reason: sentence }, 'command refused')
  // The server may be waiting for a reply; otherwise it ignores this one.
  if (signed && historyId === null && nonce !== null)
    options.context.sendReply({ nonce, refused: sentence, answer: null })
  // A forged command must not overwrite the result of a real run, and a command without a row has no result.
  if (historyId === null || runs.find(historyId) !== undefined) return sendError('refused', sentence)
  if (!signed && outbox.countRefusals() >= MAX_WAITING_REFUSALS) return
  outbox.append({
    kind: 'result',
    history_id: historyId,
    at: new Date(options.now()).toISOString(),
    outcome: 'refused',
    reason: sentence.slice(0, 2000),
    ...NOTHING_RAN,
  })
}

/** The server sends a command again if it does not know whether it arrived. The current state is reported again. */
function reportRepeated(payload: { history_id: number | null; nonce: string }, options: TakeOptions): void {
  const { log, runs } = options
  const record = payload.history_id === null ? undefined : runs.find(payload.history_id)
  if (record?.nonce === payload.nonce) {
    log.info({ history_id: payload.history_id }, 'command delivered again')
    return runs.repeatState(record)
  }
  log.warn({ history_id: payload.history_id }, 'ignored a repeated command')
  options.sendError('repeated', 'Ignored a command that has already been run.')
}
