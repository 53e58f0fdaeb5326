import { type PowerAction, PowerPlan, type PowerReport } from '@muster/contract/agent/power'
import { postpone } from '@muster/rules/patches/patch-reboot'
import { z } from 'zod'
import { AgentError, MeasureError } from '../errors.ts'
import { describeError } from '../log/log.ts'
import type { Os } from '../os/os.ts'
import { isSameBoot } from '../os/node-os.ts'
import { runSystemTool } from '../os/run-tool.ts'
import { POWER_PLAN, type PowerOptions } from './power.ts'
import { describeWarning, nextWarningAt } from './warnings.ts'

/** A plan on the disk. Times are in milliseconds of the corrected clock. */
const StoredPlan = PowerPlan.omit({ seconds: true, if_nobody: true, deadline_seconds: true }).extend({
  author: z.string(),
  dueMs: z.number(),
  deadlineMs: z.number().optional(),
  postponed: z.int(),
  boot: z.string(),
})
export type StoredPlan = z.infer<typeof StoredPlan>

/** A machine whose agent was off for longer than this at the time of a plan is left alone. */
const GRACE_MS = 15 * 60_000
/** After a restart of the agent the user is warned again, and has at least this long. */
const MIN_WARNING_MS = 60_000
/** Timers stand still while a machine sleeps, so the clock is read this often. */
const MAX_SLEEP_MS = 20_000

/**
 * The planned restart, shutdown or sign-out of this machine. It is on disk, so it survives a restart of the agent and
 * needs no link. The user at the machine is warned, and may postpone it. Every change is reported.
 */
export class PowerPlans implements AsyncDisposable {
  #options: PowerOptions
  #plan: StoredPlan | undefined
  #timer: NodeJS.Timeout | undefined
  #warnAtMs: number | undefined
  #dialog: { pid: number; marker: string } | undefined
  #isDisposed = false

  constructor(options: PowerOptions) {
    this.#options = options
  }

  /** Returns the time; null if it was done at once, because no user is signed in. Throws AgentError. */
  async plan(
    { seconds, if_nobody, deadline_seconds, ...wanted }: PowerPlan,
    author: string,
  ): Promise<{ due: string | null }> {
    if (this.#plan?.id === wanted.id) return { due: new Date(this.#plan.dueMs).toISOString() }
    const { os, now, bootMark } = this.#options
    const hasUsers = await (await os.loadSessionTools()).hasUsers()
    if (!hasUsers && wanted.action === 'sign_out')
      throw new AgentError('No user is signed in at this machine.')
    if (!hasUsers && if_nobody === 'now') {
      await this.doNow(wanted.action)
      return { due: null }
    }
    await this.#replace('Replaced by another plan.')
    const dueMs = now() + seconds * 1000
    const deadlineMs = deadline_seconds === undefined ? undefined : now() + deadline_seconds * 1000
    this.#change({ ...wanted, author, dueMs, deadlineMs, postponed: 0, boot: bootMark() })
    this.#warnAtMs = now()
    await this.#tick()
    return { due: new Date(dueMs).toISOString() }
  }

  /** Without a warning. Throws AgentError if the system refuses. */
  async doNow(action: PowerAction): Promise<void> {
    await performPower(action, this.#options.os)
    if (action !== 'lock') await this.#replace('Done at once instead.')
  }

  /** Restarts the machine unless a user is signed in. Returns whether it did. */
  async rebootIfNobody(): Promise<boolean> {
    if (await (await this.#options.os.loadSessionTools()).hasUsers()) return false
    await this.doNow('reboot')
    return true
  }

  /** Throws AgentError if it has begun, or another one has replaced it. */
  async cancel(id: string): Promise<void> {
    const plan = this.#plan
    if (plan?.id !== id) throw new AgentError('It has already begun, or was replaced.')
    await this.#remove()
    await this.#announce('Cancelled', describeWarning(plan, 'cancelled').text)
  }

  /** Continues the plan of an earlier process. */
  async resume(): Promise<void> {
    const { keyValues, now, bootMark } = this.#options
    const plan = StoredPlan.parse(JSON.parse(keyValues.find(POWER_PLAN) ?? ''))
    this.#plan = plan
    // A dialog of a killed agent.
    await this.#options.os.killTree(0, markerOf(plan))
    const lateMs = now() - plan.dueMs
    if (!isSameBoot(plan.boot, bootMark()))
      return lateMs >= -MAX_SLEEP_MS && plan.action !== 'sign_out'
        ? this.#end('done')
        : this.#end('skipped', 'The machine restarted before that time.')
    if (lateMs > GRACE_MS) return this.#end('skipped', 'The agent was not running at that time.')
    this.#plan = { ...plan, dueMs: Math.max(plan.dueMs, now() + MIN_WARNING_MS) }
    this.#warnAtMs = now()
    await this.#tick()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true
    clearTimeout(this.#timer)
    await this.#closeDialog()
  }

  async #tick(): Promise<void> {
    const plan = this.#plan
    if (plan === undefined || this.#isDisposed) return
    const { now } = this.#options
    clearTimeout(this.#timer)
    if (now() >= plan.dueMs) return this.#perform(plan)
    if (this.#warnAtMs !== undefined && now() >= this.#warnAtMs) {
      this.#warnAtMs = nextWarningAt(plan.dueMs, now())
      await this.#warn(plan)
    }
    if (this.#plan?.id !== plan.id || this.#isDisposed) return
    const next = Math.min(this.#plan.dueMs, this.#warnAtMs ?? Infinity) - now()
    const turn = () => void this.#tick().catch((cause: unknown) => this.#logFailure(cause))
    this.#timer = setTimeout(turn, Math.max(0, Math.min(next, MAX_SLEEP_MS)))
  }

  async #perform(plan: StoredPlan): Promise<void> {
    await this.#closeDialog()
    try {
      await performPower(plan.action, this.#options.os)
    } catch (cause) {
      const isExpected = cause instanceof AgentError || cause instanceof MeasureError
      return this.#end('failed', isExpected ? cause.message : `The agent failed: ${describeError(cause)}`)
    }
    await this.#end('done')
  }

  /** Shows the warning again in place of an open one, whose user has not answered. */
  async #warn(plan: StoredPlan): Promise<void> {
    const { os, program, log } = this.#options
    await this.#closeDialog()
    const warning = describeWarning(plan, 'planned')
    await this.#announce(warning.title, warning.text)
    try {
      const { openDialog } = await import('../remote/dialogs.ts')
      const marker = markerOf(plan)
      const shown = await openDialog(warning, { marker, os, program })
      if ('nobody' in shown) return log.info({ why: shown.nobody }, 'no dialog for the planned action')
      // Cancelled meanwhile.
      if (this.#plan?.id !== plan.id || this.#isDisposed) return os.killTree(shown.pid, marker)
      const dialog = { pid: shown.pid, marker }
      this.#dialog = dialog
      shown.exited.then(
        (code) => {
          if (this.#dialog === dialog) this.#dialog = undefined
          if (code === shown.allowed && warning.question !== undefined) this.#postpone(plan.id)
        },
        (cause: unknown) => this.#logFailure(cause),
      )
    } catch (cause) {
      this.#logFailure(cause)
    }
  }

  #postpone(id: string): void {
    const plan = this.#plan
    const { now, log } = this.#options
    if (plan?.id !== id || plan.postponements === 0 || now() >= plan.dueMs || this.#isDisposed) return
    const { dueMs, postponements } = postpone(plan)
    this.#change({ ...plan, dueMs, postponements, postponed: plan.postponed + 1 })
    this.#warnAtMs = nextWarningAt(dueMs, now())
    log.info({ due: new Date(dueMs).toISOString() }, 'the user postponed the planned action')
    void this.#tick().catch((cause: unknown) => this.#logFailure(cause))
  }

  async #announce(title: string, text: string): Promise<void> {
    try {
      await (await this.#options.os.loadSessionTools()).announce(title, text)
    } catch (cause) {
      this.#logFailure(cause)
    }
  }

  #change(plan: StoredPlan): void {
    this.#plan = plan
    this.#options.keyValues.save(POWER_PLAN, JSON.stringify(plan))
    this.#report(plan, 'planned', null)
  }

  async #replace(reason: string): Promise<void> {
    if (this.#plan !== undefined) await this.#end('skipped', reason)
  }

  async #end(state: Exclude<PowerReport['state'], 'planned'>, reason: string | null = null): Promise<void> {
    const plan = this.#plan
    await this.#remove()
    if (plan !== undefined) this.#report(plan, state, reason)
  }

  async #remove(): Promise<void> {
    clearTimeout(this.#timer)
    this.#plan = undefined
    this.#options.keyValues.remove(POWER_PLAN)
    await this.#closeDialog()
  }

  #report({ id, dueMs, postponed }: StoredPlan, state: PowerReport['state'], reason: string | null): void {
    const { outbox, now } = this.#options
    const [at, due] = [new Date(now()).toISOString(), new Date(dueMs).toISOString()]
    outbox.append({ kind: 'power', id, state, at, due, postponed, reason: reason?.slice(0, 500) ?? null })
  }

  async #closeDialog(): Promise<void> {
    const dialog = this.#dialog
    this.#dialog = undefined
    if (dialog !== undefined) await this.#options.os.killTree(dialog.pid, dialog.marker)
  }

  #logFailure(cause: unknown): void {
    this.#options.log.info({ cause: describeError(cause) }, 'failed to warn of the planned action')
  }
}

/** The mark of the dialog's process. */
const markerOf = ({ id }: StoredPlan) => `${id}-warning`

/** Restarts the machine, shuts it down, or ends or locks the user's session. Throws AgentError. */
async function performPower(action: PowerAction, os: Os): Promise<void> {
  if (action === 'sign_out') return (await os.loadSessionTools()).signOut()
  if (action === 'lock') return (await os.loadSessionTools()).lock()
  await runSystemTool('shutdown', os.shutdownArguments(action))
}
