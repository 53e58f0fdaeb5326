import { AppError } from '@muster/contract/errors'
import { findShorterKept, type Retention } from '@muster/rules/retention'
import type { Context } from '../../context.ts'
import { laterThan } from '../../platform/database/later-than.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { audit } from '../audit/write-audit.ts'
import { lockCoreSettings, readCoreSettings, type StoredSettings, writeCoreSettings } from './queries.ts'

type Change = { [Name in keyof Retention]?: number | undefined } & { modified?: string | undefined }

const WORDS: Record<keyof Retention, string> = {
  check_history_prune_days: 'every sample',
  check_history_5min_prune_days: 'means of 5 minutes',
  check_history_hourly_prune_days: 'means of an hour',
}
// Object.keys answers strings; these are the keys of the line above.
const NAMES = Object.keys(WORDS) as (keyof Retention)[]

/** Saves settings of the whole server. What is kept too long from now on goes at once, not at night. */
export function changeCoreSettings(ctx: Context, caller: Caller, change: Change): Promise<StoredSettings> {
  return ctx.transaction(async (tx, emit) => {
    await lockCoreSettings(tx)
    const before = await readCoreSettings(tx)
    if (change.modified !== undefined && change.modified !== before.modified) {
      throw new AppError(
        'changed_meanwhile',
        'The settings were saved by somebody else since you opened them. Load them again before you save.',
      )
    }
    const changed = NAMES.filter((name) => change[name] !== undefined && change[name] !== before[name])
    if (changed.length === 0) return before
    const at = ctx.now()
    const after = { ...before, modified: laterThan(before.modified, at) }
    for (const name of changed) after[name] = change[name] ?? before[name]
    refuseShorter(after)
    await writeCoreSettings(tx, after)
    const done = changed.map((name) => `${WORDS[name]} for ${daysOf(after[name])}`)
    const only = (settings: StoredSettings) =>
      Object.fromEntries(changed.map((name) => [name, settings[name]]))
    await audit(tx, {
      caller,
      action: 'modify',
      object_type: 'coresettings',
      message: `Changed how long history is kept: ${done.join(', ')}`,
      before: only(before),
      after: only(after),
      at,
      emit,
    })
    await ctx.jobs.enqueue('checks.prune-samples', null, { db: tx })
    emit({ type: 'settings.changed', ids: changed })
    return after
  })
}

function refuseShorter(settings: Retention): void {
  const fields = Object.entries(findShorterKept(settings))
  const [first] = fields
  if (first === undefined) return
  throw new AppError('invalid', 'What is coarser is kept at least as long as what is finer.', {
    fields: Object.fromEntries(fields.map(([name, sentence]) => [name, [sentence]])),
  })
}

const daysOf = (days: number) => `${days} ${days === 1 ? 'day' : 'days'}`
