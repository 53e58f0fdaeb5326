import type { ChannelEnd } from '@muster/contract/agent/channel'
import type { AskingNews } from '@muster/contract/asking'
import type { RemoteRules } from '@muster/rules/remote/remote-rules'
import type { Channel } from './channels/channel.ts'
import { describeError, type Log } from '../log/log.ts'
import type { Os } from '../os/os.ts'
import { KeptMarkers } from '../run/kept-markers.ts'
import type { Kept } from '../state/kept.ts'
import type { Outbox } from '../state/outbox.ts'
import type { Answer } from './ask-person.ts'

const MOST_QUESTIONS = 4

export interface ConsentsOptions {
  kept: Kept
  outbox: Outbox
  os: Os
  log: Log
  now: () => number
}

export interface Visit {
  session: string
  tool: keyof typeof WORDS
  /** The name of who comes, for people. */
  person: string
  /** Why, in the words of who comes. */
  purpose: string | undefined
  /** What the window shows is recorded. */
  recorded: boolean
}

/** Asks the person at the machine before somebody comes in, where the rules want that. */
export class Consents implements AsyncDisposable {
  #options: ConsentsOptions
  #markers: KeptMarkers
  #asking = new Map<string, { abort: (reason: string) => void; done: Promise<unknown> }>()

  constructor(options: ConsentsOptions) {
    this.#options = options
    this.#markers = new KeptMarkers({ name: 'consent_markers', ...options })
  }

  listSessions(): string[] {
    return [...this.#asking.keys()]
  }

  endInterrupted(): Promise<void> {
    return this.#markers.endInterrupted()
  }

  /** Whether somebody may come in on this channel; it is over where not. */
  async admit(channel: Channel, visit: Visit, rules: RemoteRules): Promise<boolean> {
    if (rules.consent === 'off') return true
    if (this.#asking.size >= MOST_QUESTIONS || this.#asking.has(visit.session)) {
      channel.end({ code: 'too_many', message: 'The person at the machine is being asked already.' })
      return false
    }
    const calledOff = new AbortController()
    const abort = (reason: string) => calledOff.abort(reason)
    channel.watchEnd(({ message }) => abort(message))
    const asked = this.#ask(channel, { visit, rules, signal: calledOff.signal })
    this.#asking.set(visit.session, { abort, done: asked })
    const end = await asked.finally(() => this.#asking.delete(visit.session))
    if (end === undefined && !channel.isOver) return true
    // Nobody is at the other end who would hear of it.
    if (channel.isOver) this.#report(visit.session, String(calledOff.signal.reason))
    else channel.end(end ?? CALLED_OFF)
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
    { visit, rules, signal }: { visit: Visit; rules: RemoteRules; signal: AbortSignal },
  ): Promise<ChannelEnd | undefined> {
    const { os, log } = this.#options
    const { consent_seconds: seconds, consent } = rules
    const news: AskingNews = { type: 'asking', seconds }
    channel.sendText(news)
    const marker = `${visit.session}-ask`
    this.#markers.add(marker)
    try {
      // Loaded with the first question: most machines never ask any.
      const { askPerson } = await import('./ask-person.ts')
      const dialog = { title: 'Remote access', text: tellQuestion(visit, rules) }
      const answer = await askPerson(dialog, { seconds, marker, os, signal })
      log.info({ session: visit.session, person: visit.person, answer }, 'person at the machine was asked')
      const refusal = answer === 'called off' ? String(signal.reason) : whyRefused(answer, rules)
      return refusal === undefined ? undefined : { code: 'refused', message: refusal }
    } catch (cause) {
      log.error({ cause: describeError(cause) }, 'the person at the machine could not be asked')
      if (consent !== 'require') return undefined
      return {
        code: 'refused',
        message: `The person at the machine could not be asked: ${describeError(cause)}`,
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

const CALLED_OFF: ChannelEnd = { code: 'closed', message: 'The question was called off.' }

const WORDS = {
  terminal: 'open a terminal on this computer',
  desktop: 'see and use the screen of this computer',
  vnc: 'see and use a screen by way of this computer',
} as const

function tellQuestion(
  { person, tool, purpose, recorded }: Visit,
  { consent, consent_seconds: seconds }: RemoteRules,
): string {
  const silence = consent === 'ask_allow' ? 'allowed' : 'refused'
  const kept = recorded ? ' What is shown is recorded.' : ''
  const why = purpose === undefined ? '' : `\n\nReason: ${purpose}`
  return `${person} asks to ${WORDS[tool]}.${kept}${why}\n\nWithout an answer it is ${silence} after ${seconds} seconds.`
}

/** Undefined = it is opened. */
function whyRefused(
  answer: Exclude<Answer, 'called off'>,
  { consent, consent_seconds: seconds }: RemoteRules,
): string | undefined {
  if (answer === 'allowed') return undefined
  if (answer === 'refused') return 'The person at the machine refused.'
  if (answer === 'silent') {
    if (consent === 'ask_allow') return undefined
    return `The person at the machine did not answer within ${seconds} seconds.`
  }
  if (consent !== 'require') return undefined
  return `The person at the machine has to allow it, and nobody can be asked: ${answer.nobody}.`
}
