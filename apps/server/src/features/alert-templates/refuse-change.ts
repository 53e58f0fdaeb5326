import type { AlertTemplateForm } from '@muster/contract/api/alert-templates'
import { AppError } from '@muster/contract/errors'
import { type Caller, mayDo } from '../../platform/http/caller.ts'
import { refuseServerScriptsOff, type StoredSettings } from '../settings/queries.ts'

/** A template may count for every client: only who sees all of them may change one. */
export function refuseLimited({ scope }: Pick<Caller, 'scope'>): void {
  if (scope.all) return
  throw new AppError(
    'not_allowed',
    'Alert templates may count for every client, and your role sees only some of them.',
  )
}

type Form = Omit<AlertTemplateForm, 'name'>

/**
 * Actions run without anybody who asks: whoever sets one must be allowed to do by hand what it does. A webhook reaches
 * the server's own network, as a channel does.
 */
export function refuseActions(
  settings: Pick<StoredSettings, 'enable_server_scripts'>,
  caller: Caller,
  { before, after }: { before?: Form; after: Form },
): void {
  for (const kind of ['action', 'resolved_action'] as const) {
    const scripts = (form: Form | undefined) =>
      JSON.stringify([
        form?.[`${kind}_type`] ?? null,
        form?.[kind] ?? null,
        form?.[`${kind}_args`] ?? [],
        form?.[`${kind}_env_vars`] ?? [],
        form?.[`${kind}_run_as_user`] ?? false,
      ])
    const rests = (form: Form | undefined) => JSON.stringify(form?.[`${kind}_rest`] ?? null)
    if (after[kind] !== null && scripts(before) !== scripts(after)) {
      const isOnServer = after[`${kind}_type`] === 'server'
      const needed = isOnServer ? 'can_run_server_scripts' : 'can_run_scripts'
      if (!mayDo(caller, needed))
        throw new AppError('not_allowed', `Your role does not allow to run scripts there (${needed}).`)
      if (isOnServer) refuseServerScriptsOff(settings)
    }
    if (
      after[`${kind}_rest`] !== null &&
      rests(before) !== rests(after) &&
      !mayDo(caller, 'can_edit_core_settings')
    )
      throw new AppError(
        'not_allowed',
        'Your role does not allow to set up webhooks (can_edit_core_settings).',
      )
  }
}
