import type { Event } from '@muster/contract/events'
import type { Context } from '../../../context.ts'
import { laterThan } from '../../../platform/database/change-row.ts'
import type { Db } from '../../../platform/database/database.ts'
import { findTemplates, updateTemplate } from './queries.ts'
import { readTemplate, type StoredSettings } from './stored-template.ts'

/** Call before a script is deleted: clears it in templates that run it. */
export async function clearScriptInTemplates(
  { ctx, tx, emit }: { ctx: Pick<Context, 'now'>; tx: Db; emit: (event: Event) => void },
  scriptId: number,
): Promise<void> {
  for (const row of await findTemplates(tx)) {
    const { settings } = readTemplate(row)
    const next: StoredSettings = {
      ...settings,
      ...(settings.action === scriptId ? { action: null, action_type: null } : {}),
      ...(settings.resolved_action === scriptId ? { resolved_action: null, resolved_action_type: null } : {}),
    }
    if (next.action === settings.action && next.resolved_action === settings.resolved_action) continue
    const modified = laterThan(row.modified, ctx.now())
    await updateTemplate(tx, row.id, { settings: JSON.stringify(next), modified })
    emit({ type: 'alert_template.changed', ids: [row.id] })
  }
}

/** Scripts that alert templates run on the server, with the names of the templates. */
export async function findServerScripts(db: Db): Promise<Map<number, string[]>> {
  const found = new Map<number, string[]>()
  for (const { name, settings } of (await findTemplates(db)).map(readTemplate)) {
    const ids = new Set([
      settings.action_type === 'server' ? settings.action : null,
      settings.resolved_action_type === 'server' ? settings.resolved_action : null,
    ])
    for (const id of ids) if (id !== null) found.set(id, [...(found.get(id) ?? []), name])
  }
  return found
}
