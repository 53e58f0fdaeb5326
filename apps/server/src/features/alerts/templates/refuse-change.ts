import type { AlertTemplateForm } from '@muster/contract/api/alert-templates'
import { AppError } from '@muster/contract/errors'
import type { Db } from '../../../platform/database/database.ts'
import { type Caller, mayDo } from '../../../platform/http/caller.ts'
import type { Author } from '../../keystore/key-use.ts'
import { refuseRuns, type Run } from '../../users/roles/refuse-runs.ts'
import { readCoreSettings, refuseServerScriptsOff } from '../../../platform/config/core-settings.ts'

type Form = Omit<AlertTemplateForm, 'name'>

const KINDS = ['action', 'resolved_action'] as const

/** Actions run later, see refuse-runs.ts. A webhook can reach the server's own network, like a channel. */
export async function refuseActions(
  db: Db,
  caller: Caller,
  { before, after }: { before?: { form: Form; author: Author }; after: Form },
): Promise<Author> {
  const old = before && runsOf(before.form)
  const runs = runsOf(after)
  const author = await refuseRuns(db, caller, {
    before: before && { runs: old ?? [], author: before.author },
    after: runs,
  })
  const known = new Set(old?.map(({ digest }) => digest))
  if (runs.some(({ kind, digest }) => kind === 'server' && !known.has(digest)))
    refuseServerScriptsOff(await readCoreSettings(db))
  for (const kind of KINDS) {
    const rest = JSON.stringify(after[`${kind}_rest`])
    const isNew =
      after[`${kind}_rest`] !== null && rest !== JSON.stringify(before?.form[`${kind}_rest`] ?? null)
    if (!isNew || mayDo(caller, 'can_edit_core_settings')) continue
    throw new AppError(
      'not_allowed',
      'Your role does not allow webhooks (can_edit_core_settings). Ask an administrator.',
    )
  }
  return author
}

function runsOf(form: Form): Run[] {
  return KINDS.flatMap((kind): Run[] => {
    const script = form[kind]
    if (script === null) return []
    const texts = [...form[`${kind}_args`], ...form[`${kind}_env_vars`]]
    return [
      {
        kind: form[`${kind}_type`] === 'server' ? 'server' : 'script',
        what: 'This alert template',
        digest: JSON.stringify([kind, form[`${kind}_type`], script, texts, form[`${kind}_run_as_user`]]),
        texts,
      },
    ]
  })
}
