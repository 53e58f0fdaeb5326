import type { TaskFields } from '@muster/contract/api/tasks'
import type { CustomFieldModel } from '@muster/contract/custom-field-values'
import { AppError } from '@muster/contract/errors'
import type { Db } from '../../platform/database/database.ts'
import { type Caller, mayDo } from '../../platform/http/caller.ts'
import { findField } from '../custom-fields/queries.ts'

type Collecting = Pick<TaskFields, 'custom_field' | 'collector_all_output' | 'actions'>

/**
 * Refuses a custom field that is not there, and one whose values are not the caller's to change: those of sites and
 * clients reach scripts on other machines. Answers the model of one that the caller chose, or whose content the caller
 * changes.
 */
export async function refuseBadField(
  db: Db,
  caller: Caller,
  { task, before, place = '' }: { task: Collecting; before: Collecting | undefined; place?: string },
): Promise<CustomFieldModel | undefined> {
  const { custom_field: id } = task
  if (id === null || (before !== undefined && partsOf(task) === partsOf(before))) return undefined
  const field = await findField(db, id)
  if (field === undefined) {
    const sentence = 'This custom field does not exist (any more).'
    throw new AppError('invalid', sentence, { fields: { [`${place}custom_field`]: [sentence] } })
  }
  const { model, name } = field
  if (model !== 'agent' && !mayDo(caller, model === 'site' ? 'can_manage_sites' : 'can_manage_clients')) {
    throw new AppError(
      'not_allowed',
      `"${name}" is a field of ${model}s, which your role does not allow you to change: no task of yours may either.`,
    )
  }
  return model
}

function partsOf({ custom_field, collector_all_output, actions }: Collecting): string {
  return JSON.stringify([custom_field, collector_all_output, actions])
}
