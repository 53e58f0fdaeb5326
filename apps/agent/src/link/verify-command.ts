import { type KeyObject, verify } from 'node:crypto'
import {
  CommandName,
  CommandPayload,
  commandProof,
  type SignedCommand,
} from '@muster/contract/agent/commands'
import { PROTOCOL_VERSIONS } from '@muster/contract/agent/link'
import { z } from 'zod'
import type { State } from '../state/state.ts'

/** Stored beyond the expiry, for clocks that are set back. */
const MARGIN_MS = 24 * 3600 * 1000
/** Always stored: a clock that jumped ahead must not empty the list. */
const MIN_STORED_NONCES = 10_000

/** Nonces of received commands, so that none is run twice, also after a restart. */
export class Nonces {
  #state: State
  #now: () => number

  constructor(options: { state: State; now: () => number }) {
    this.#state = options.state
    this.#now = options.now
    this.removeExpired()
  }

  wasSeen(nonce: string): boolean {
    return (
      this.#state.read((database) => database.find('select 1 from nonces where nonce = ?', nonce)) !==
      undefined
    )
  }

  remember(nonce: string, expiresAtMs: number): void {
    this.#state.write((database) =>
      database.run(
        'insert into nonces (nonce, expires_at) values (?, ?) on conflict (nonce) do nothing',
        nonce,
        Math.floor(expiresAtMs),
      ),
    )
  }

  removeExpired(): void {
    this.#state.write((database) =>
      database.run(
        `delete from nonces where expires_at < ? and id <= (select coalesce(max(id), 0) from nonces) - ?`,
        Math.floor(this.#now()) - MARGIN_MS,
        MIN_STORED_NONCES,
      ),
    )
  }
}

/** A command from a clock further ahead than this is refused: its expiry would mean nothing. */
const MAX_AHEAD_MS = 5 * 60 * 1000

export interface VerifyContext {
  /** The key that was pinned at enrolment. */
  commandKey: KeyObject
  agentId: string
  agentVersion: string
  now: number
  /** A message about this machine's clock, if it is wrong. */
  clockTrouble: string | undefined
  wasSeen: (nonce: string) => boolean
  /** Commands issued before this time may be repeats; null = repeats are always detected. */
  notBefore: number | null
}

export type Verdict =
  | { verdict: 'accepted'; payload: CommandPayload; expiresAtMs: number }
  | { verdict: 'repeated'; payload: CommandPayload }
  /** `historyId` may be trusted only if `signed` is true. */
  | { verdict: 'refused'; signed: boolean; historyId: number | null; nonce: string | null; sentence: string }

/**
 * Decides whether a command may run: signed by the pinned key, addressed to this agent, neither expired nor from the
 * future, never received before. The order matters: nothing in the payload is trusted before its signature.
 */
export function verifyCommand(command: SignedCommand, context: VerifyContext): Verdict {
  const content = tryJson(command.payload)
  const loose = LoosePayload.safeParse(content).data
  const [historyId, nonce] = [loose?.history_id ?? null, loose?.nonce ?? null]
  const refuse = (sentence: string, signed = true): Verdict => ({
    verdict: 'refused',
    signed,
    historyId,
    nonce,
    sentence,
  })

  if (!isSigned(command, context.commandKey)) {
    return refuse(
      'The machine refused the command. It is not signed by the server that the machine is enrolled with.',
      false,
    )
  }
  const parsed = CommandPayload.safeParse(content)
  if (!parsed.success) return refuse(describeUnreadable(content, context.agentVersion))
  const payload = parsed.data
  if (payload.agent_id !== context.agentId) {
    return refuse('The machine refused the command. It is addressed to another machine.')
  }
  // Checked before the times, so that a command delivered again after its expiry is answered too.
  if (context.wasSeen(payload.nonce)) return { verdict: 'repeated', payload }
  const trouble = describeTimeTrouble(payload, context)
  if (trouble !== undefined) {
    return refuse(
      [`The machine refused the command: ${trouble}.`, context.clockTrouble].filter(Boolean).join(' '),
    )
  }
  if (context.notBefore !== null && Date.parse(payload.issued_at) < context.notBefore) {
    return refuse(
      'The machine refused the command. Its data folder was damaged or not writable, so the command may have run before. Send it again.',
    )
  }
  return { verdict: 'accepted', payload, expiresAtMs: Date.parse(payload.expires_at) }
}

const LoosePayload = z.object({
  protocol: z.unknown(),
  name: z.unknown(),
  history_id: z.int().nullable().catch(null),
  nonce: z.string().min(16).max(64).nullable().catch(null),
})

function isSigned(command: SignedCommand, key: KeyObject): boolean {
  return verify(
    null,
    Buffer.from(commandProof(command.payload)),
    key,
    Buffer.from(command.signature, 'base64url'),
  )
}

function describeUnreadable(content: unknown, agentVersion: string): string {
  const { protocol, name } = LoosePayload.safeParse(content).data ?? {}
  if (typeof protocol === 'number' && !PROTOCOL_VERSIONS.some((known) => known === protocol)) {
    return `The agent (version ${agentVersion}) does not support protocol ${protocol}. Update the agent.`
  }
  if (typeof name === 'string' && !CommandName.safeParse(name).success) {
    return `The agent (version ${agentVersion}) does not know the command "${name.slice(0, 50)}". Update the agent.`
  }
  return 'The machine refused the command. It is not readable.'
}

function describeTimeTrouble(payload: CommandPayload, context: VerifyContext): string | undefined {
  const issuedAt = Date.parse(payload.issued_at)
  const expiresAt = Date.parse(payload.expires_at)
  const here = new Date(context.now).toISOString()
  if (Number.isNaN(issuedAt) || Number.isNaN(expiresAt) || expiresAt <= issuedAt) {
    return 'its times are invalid'
  }
  if (expiresAt <= context.now)
    return `it expired at ${payload.expires_at}, and the machine's clock says ${here}`
  if (issuedAt > context.now + MAX_AHEAD_MS) {
    return `it was issued at ${payload.issued_at}, which is in the future. The machine's clock says ${here}`
  }
  return undefined
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
