import { RemoteRules, RulesRevision } from '@muster/contract/agent/remote-rules'
import {
  DEFAULT_REMOTE_RULES,
  type RemoteRules as Rules,
  whyNoRemoteTools,
} from '@muster/rules/remote/remote-rules'
import { wallClockAt } from '@muster/rules/schedules/zone-time'
import { z } from 'zod'
import type { Log } from '../log/log.ts'
import type { Kept } from '../state/kept.ts'
import type { Seal } from '../state/seal.ts'

const NAME = 'remote_rules'
const LOOK_EVERY_MS = 1000
const UNREADABLE =
  'The rules for remote tools on this machine cannot be read. They open when the server has sent them again.'

const Stored = z.object({ revision: RulesRevision, rules: RemoteRules })
type Stored = z.infer<typeof Stored>

export interface RemoteGateOptions {
  kept: Kept
  seal: Seal
  log: Log
  /** By the machine's own clock. */
  now: () => number
  zone: () => string
  /** Ends everything that goes on. */
  closeAll: (reason: string) => void
}

/**
 * What holds for remote tools on this machine, and whether one may be used now. The machine keeps the rules and decides
 * by itself, whatever it is asked for; rules that cannot be read let nobody in.
 */
export class RemoteGate implements Disposable {
  #options: RemoteGateOptions
  #stored: Stored | undefined | 'unreadable'
  /** There while there are hours that may end. */
  #timer: NodeJS.Timeout | undefined

  constructor(options: RemoteGateOptions) {
    this.#options = options
    this.#stored = this.#read()
    this.#watchHours()
  }

  /** What the server is told, always: it knows by it that this agent enforces rules. Empty = it has never sent any. */
  get revision(): string {
    return this.#stored === 'unreadable' ? 'unreadable' : (this.#stored?.revision ?? '')
  }

  get rules(): Rules {
    return this.#stored === 'unreadable' ? CLOSED : (this.#stored?.rules ?? DEFAULT_REMOTE_RULES)
  }

  /** Why no remote tool may be used now, as a sentence; undefined where one may. */
  whyNot(): string | undefined {
    if (this.#stored === 'unreadable') return UNREADABLE
    const { now, zone } = this.#options
    return whyNoRemoteTools(this.rules, () => ({ wallMs: wallClockAt(zone(), now()), zone: zone() }))
  }

  /** Part of the transaction that remembers the command. */
  set(stored: Stored): void {
    const { kept, seal } = this.#options
    kept.save(NAME, seal.seal(JSON.stringify(stored)))
    this.#stored = stored
    this.#watchHours()
    setImmediate(() => this.#enforce())
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }

  #watchHours(): void {
    clearInterval(this.#timer)
    if (this.rules.hours !== null) this.#timer = setInterval(() => this.#enforce(), LOOK_EVERY_MS).unref()
  }

  /** What was begun when it was allowed ends when it is not any more. */
  #enforce(): void {
    const reason = this.whyNot()
    if (reason !== undefined) this.#options.closeAll(reason)
  }

  #read(): Stored | undefined | 'unreadable' {
    const { kept, seal, log } = this.#options
    const sealed = kept.find(NAME)
    if (sealed === undefined) return undefined
    try {
      return Stored.parse(JSON.parse(seal.open(sealed) ?? ''))
    } catch (cause) {
      log.warn({ cause }, 'rules for remote tools cannot be read')
      return 'unreadable'
    }
  }
}

const CLOSED: Rules = { ...DEFAULT_REMOTE_RULES, forbidden: true }
