import type { Event } from '@muster/contract/events'
import type { Context } from '../../../context.ts'
import type { Db } from '../../../platform/database/database.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { audit } from '../../audit/write-audit.ts'
import { enqueueApply } from './apply-templates.ts'
import { findTemplate } from './queries.ts'
import { requireAssignable } from './write-template.ts'

type Target =
  | { type: 'client'; id: number; name: string }
  | { type: 'site'; id: number; name: string }
  | { type: 'agent'; id: string; name: string }

const WORDS = { client: 'client', site: 'site', agent: 'machine' } as const

/** Sets or removes the alert template of a client, a site or a machine. Returns false if nothing changed. */
export async function assignTemplate(
  { ctx, tx, emit }: { ctx: Context; tx: Db; emit: (event: Event) => void },
  caller: Caller,
  target: Target,
  { from, to }: { from: number | null; to: number | null | undefined },
): Promise<boolean> {
  if (to === undefined || to === from) return false
  const field = target.type === 'agent' ? 'alert_template' : `${target.type}.alert_template`
  const name = await requireAssignable(tx, to, field)
  await store(tx, target, to)
  const what = `the ${WORDS[target.type]} "${target.name}"`
  await audit(tx, {
    caller,
    action: 'modify',
    object_type: target.type,
    message:
      to === null
        ? `Removed the alert template of ${what}`
        : `Assigned the alert template "${name}" to ${what}`,
    before: { alert_template: from === null ? null : ((await findTemplate(tx, from))?.name ?? null) },
    after: { alert_template: to === null ? null : name },
    ...agentAndSite(target),
    at: ctx.now(),
    emit,
  })
  await enqueueApply(ctx, tx)
  emit({ type: 'alert_template.changed', ids: [from, to].filter((id) => id !== null) })
  return true
}

async function store(tx: Db, target: Target, id: number | null): Promise<void> {
  const change = { alert_template_id: id }
  if (target.type === 'client')
    await tx.updateTable('clients').set(change).where('id', '=', target.id).execute()
  if (target.type === 'site') await tx.updateTable('sites').set(change).where('id', '=', target.id).execute()
  if (target.type === 'agent')
    await tx.updateTable('agents').set(change).where('agent_id', '=', target.id).execute()
}

function agentAndSite(target: Target) {
  if (target.type === 'client') return { client: { id: target.id } }
  return target.type === 'site' ? { site: { id: target.id } } : { agent: { agent_id: target.id } }
}
