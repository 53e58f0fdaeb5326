import { RemoteRules, RulesRevision } from '@muster/contract/agent/remote'
import {
  DEFAULT_REMOTE_RULES,
  type RemoteRules as Rules,
  whyNoRemoteTools,
} from '@muster/rules/remote/remote-rules'
import { wallClockAt } from '@muster/rules/schedules/zone-time'
import { z } from 'zod'
import type { Log } from '../log/log.ts'
import type { KeyValueStore } from '../state/state.ts'
import type { Seal } from '../state/seal.ts'

const NAME = 'remote_rules'
const LOOK_EVERY_MS = 1000
const UNREADABLE =
  'The remote rules of this machine are not readable. Remote tools are available again when the server has sent the rules.'

const Stored = z.object({ revision: RulesRevision, rules: RemoteRules })
type Stored = z.infer<typeof Stored>

export interface RemoteGateOptions {
  keyValues: KeyValueStore
  seal: Seal
  log: Log
  /** By the machine's own clock. */
  now: () => number
  zone: () => string
  /** Ends all open sessions. */
  closeAll: (reason: string) => void
}

/**
 * The remote rules of this machine, and whether remote tools may be used now. The machine stores and enforces the
 * rules itself. Unreadable rules deny all access.
 */
export class RemoteGate implements Disposable {
  #options: RemoteGateOptions
  #stored: Stored | undefined | 'unreadable'
  /** Set while allowed hours may end. */
  #timer: NodeJS.Timeout | undefined

  constructor(options: RemoteGateOptions) {
    this.#options = options
    this.#stored = this.#read()
    this.#watchHours()
  }

  /**
   * The revision is always reported, so the server knows that this agent enforces rules. Empty = no rules were
   * received.
   */
  get revision(): string {
    return this.#stored === 'unreadable' ? 'unreadable' : (this.#stored?.revision ?? '')
  }

  get rules(): Rules {
    return this.#stored === 'unreadable' ? CLOSED : (this.#stored?.rules ?? DEFAULT_REMOTE_RULES)
  }

  /** Returns why no remote tool may be used now, as a message; undefined if allowed. */
  whyNot(): string | undefined {
    if (this.#stored === 'unreadable') return UNREADABLE
    const { now, zone } = this.#options
    return whyNoRemoteTools(this.rules, () => ({ wallMs: wallClockAt(zone(), now()), zone: zone() }))
  }

  /** Runs in the transaction that records the command. */
  set(stored: Stored): void {
    const { keyValues, seal } = this.#options
    keyValues.save(NAME, seal.seal(JSON.stringify(stored)))
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

  /** Ends sessions that were allowed before and no longer are. */
  #enforce(): void {
    const reason = this.whyNot()
    if (reason !== undefined) this.#options.closeAll(reason)
  }

  #read(): Stored | undefined | 'unreadable' {
    const { keyValues, seal, log } = this.#options
    const sealed = keyValues.find(NAME)
    if (sealed === undefined) return undefined
    try {
      return Stored.parse(JSON.parse(seal.open(sealed) ?? ''))
    } catch (cause) {
      log.warn({ cause }, 'failed to read the remote rules')
      return 'unreadable'
    }
  }
}

const CLOSED: Rules = { ...DEFAULT_REMOTE_RULES, forbidden: true }
