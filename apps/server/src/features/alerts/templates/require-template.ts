import { AppError } from '@muster/contract/errors'
import type { Db } from '../../../platform/database/database.ts'
import { lockRow } from '../../../platform/database/lock-row.ts'
import { findTemplate, type TemplateRow } from './queries.ts'

/** The template, or `not_found`. */
export async function requireTemplate(db: Db, id: number): Promise<TemplateRow> {
  const row = await findTemplate(db, id)
  if (row === undefined) throw new AppError('not_found', 'This alert template does not exist (any more).')
  return row
}

/** The same, kept from others until the transaction ends. */
export async function requireLockedTemplate(tx: Db, id: number): Promise<TemplateRow> {
  await lockRow(tx, 'alert_templates', 'id', id)
  return requireTemplate(tx, id)
}

/** Refuses a template to be assigned that is none, at the field that names it. Its row is kept until then. */
export async function requireAssignable(tx: Db, id: number | null, field: string): Promise<string> {
  if (id === null) return 'none'
  await lockRow(tx, 'alert_templates', 'id', id)
  const row = await findTemplate(tx, id)
  if (row !== undefined) return row.name
  const sentence = 'This alert template does not exist (any more).'
  throw new AppError('invalid', sentence, { fields: { [field]: [sentence] } })
}
