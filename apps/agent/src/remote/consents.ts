import type { ConsentMessage, ChannelEnd } from '@muster/contract/agent/channel'
import type { RemoteRules } from '@muster/rules/remote/remote-rules'
import { describeError, type Log } from '../log/log.ts'
import type { Os } from '../os/os.ts'
import { ProcessMarkers } from '../run/process-markers.ts'
import type { KeyValueStore } from '../state/state.ts'
import type { Outbox } from '../state/outbox.ts'
import type { Channel } from './channels/channel.ts'
import type { Answer } from './dialogs.ts'

const MAX_CONSENT_REQUESTS = 4

export interface ConsentsOptions {
  keyValues: KeyValueStore
  outbox: Outbox
  os: Os
  /** Command line that starts this agent. */
  program: readonly string[]
  log: Log
  now: () => number
}

export interface ConsentRequest {
  session: string
  tool: keyof typeof TOOL_TEXTS
  /** Display name of the technician. */
  person: string
  /** The reason given by the technician. */
  reason: string | undefined
  /** The session is recorded. */
  recorded: boolean
}

/** Asks the user at the machine for consent if the rules require it. */
export class Consents implements AsyncDisposable {
  #options: ConsentsOptions
  #markers: ProcessMarkers
  #asking = new Map<string, { abort: (reason: string) => void; done: Promise<unknown> }>()

  constructor(options: ConsentsOptions) {
    this.#options = options
    this.#markers = new ProcessMarkers({ name: 'consent_markers', ...options })
  }

  listSessions(): string[] {
    return [...this.#asking.keys()]
  }

  endInterrupted(): Promise<void> {
    return this.#markers.endInterrupted()
  }

  /** Returns whether access is allowed. Ends the channel if not. */
  async admit(channel: Channel, visit: ConsentRequest, rules: RemoteRules): Promise<boolean> {
    if (rules.consent === 'off') return true
    if (this.#asking.size >= MAX_CONSENT_REQUESTS || this.#asking.has(visit.session)) {
      channel.end({ code: 'too_many', message: 'A consent request is already open on the machine.' })
      return false
    }
    const cancelled = new AbortController()
    const abort = (reason: string) => cancelled.abort(reason)
    channel.watchEnd(({ message }) => abort(message))
    const asked = this.#ask(channel, { visit, rules, signal: cancelled.signal })
    this.#asking.set(visit.session, { abort, done: asked })
    const end = await asked.finally(() => this.#asking.delete(visit.session))
    if (end === undefined && !channel.isOver) return true
    // The requester has left.
    if (channel.isOver) this.#report(visit.session, String(cancelled.signal.reason))
    else channel.end(end ?? CANCELLED)
    return false
  }

  async end(session: string, reason: string): Promise<void> {
    const asking = this.#asking.get(session)
    asking?.abort(reason)
    await asking?.done
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.listSessions().map((session) => this.end(session, 'The agent stopped.')))
  }

  async #ask(
    channel: Channel,
    { visit, rules, signal }: { visit: ConsentRequest; rules: RemoteRules; signal: AbortSignal },
  ): Promise<ChannelEnd | undefined> {
    const { os, log, program } = this.#options
    const { consent_seconds: seconds, consent } = rules
    const news: ConsentMessage = { type: 'asking', seconds }
    channel.sendText(news)
    const marker = `${visit.session}-ask`
    this.#markers.add(marker)
    try {
      // Loaded on first use: most machines never ask.
      const { askForConsent } = await import('./dialogs.ts')
      const dialog = { title: 'Remote access', text: describeConsentRequest(visit, rules) }
      const answer = await askForConsent(dialog, { seconds, marker, os, program, signal })
      log.info({ session: visit.session, person: visit.person, answer }, 'consent requested')
      const refusal = answer === 'cancelled' ? String(signal.reason) : whyRefused(answer, rules)
      return refusal === undefined ? undefined : { code: 'refused', message: refusal }
    } catch (cause) {
      log.error({ cause: describeError(cause) }, 'failed to request consent')
      if (consent !== 'require') return undefined
      return {
        code: 'refused',
        message: `Failed to ask the user at the machine: ${describeError(cause)}`,
      }
    } finally {
      this.#markers.delete(marker)
    }
  }

  #report(session: string, reason: string): void {
    const at = new Date(this.#options.now()).toISOString()
    this.#options.outbox.append({
      kind: 'session-ended',
      session,
      at,
      exit_code: null,
      reason: reason.slice(0, 500),
    })
  }
}

const CANCELLED: ChannelEnd = { code: 'closed', message: 'The consent request was cancelled.' }

const TOOL_TEXTS = {
  terminal: 'open a terminal on this computer',
  desktop: 'view and control the screen of this computer',
  vnc: 'view and control a screen through this computer',
} as const

function describeConsentRequest(
  { person, tool, reason, recorded }: ConsentRequest,
  { consent, consent_seconds: seconds }: RemoteRules,
): string {
  const silence = consent === 'ask_allow' ? 'allowed' : 'refused'
  const keyValues = recorded ? ' The session is recorded.' : ''
  const why = reason === undefined ? '' : `\n\nReason: ${reason}`
  return `${person} asks to ${TOOL_TEXTS[tool]}.${keyValues}${why}\n\nWithout a response it is ${silence} after ${seconds} seconds.`
}

/** Undefined = allowed. */
function whyRefused(
  answer: Exclude<Answer, 'cancelled'>,
  { consent, consent_seconds: seconds }: RemoteRules,
): string | undefined {
  if (answer === 'allowed') return undefined
  if (answer === 'refused') return 'The user at the machine refused.'
  if (answer === 'silent') {
    if (consent === 'ask_allow') return undefined
    return `The user at the machine did not respond within ${seconds} seconds.`
  }
  if (consent !== 'require') return undefined
  return `The user at the machine must allow access, but no user can be asked: ${answer.nobody}.`
}
