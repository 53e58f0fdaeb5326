import type { createClient } from '@muster/contract/api/clients'
import type { Parsed } from '@muster/contract/endpoint'
import { AppError } from '@muster/contract/errors'
import type { Event } from '@muster/contract/events'
import type { Context } from '../../context.ts'
import type { Db } from '../../platform/database/database.ts'
import { refuseTaken } from '../../platform/database/refuse-taken.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { audit } from '../audit/write-audit.ts'
import { setFieldValues } from '../custom-fields/set-values.ts'
import { finishSetup, markSetupDone } from './finish-setup.ts'
import { countClients, insertClient, insertSite } from './queries.ts'

type NewClient = Parsed<typeof createClient>['body']

/** Adds a client with its first site; as part of the first-time setup, also what that asks for. */
export async function addClient(
  ctx: Context,
  caller: Caller,
  body: NewClient,
): Promise<{ clientId: number; siteId: number }> {
  // Commands on the server's machine read the secrets of every client.
  if (body.monitor_server === true && (body.initialsetup !== true || !caller.isSuperuser)) {
    throw new AppError(
      'not_allowed',
      "Only superusers can add the server's machine, during the first-time setup.",
    )
  }
  if (body.monitor_server === true && ctx.config.hosted) {
    throw new AppError('not_allowed', 'The machine of a hosted server cannot be added.')
  }
  const { name } = body.client
  const sentence = `There is already a client named "${name}".`
  return refuseTaken({ field: 'client.name', sentence }, () =>
    ctx.transaction(async (tx, emit) => {
      const isFirst = (await markSetupDone(tx)) && (await countClients(tx)) === 0
      if (body.initialsetup === true) {
        if (!isFirst) throw new AppError('setup_closed', 'The first-time setup has been finished already.')
        await finishSetup(tx, caller, body, emit)
      }
      const at = ctx.now()
      const { id: clientId } = await insertClient(tx, name, at.toISOString())
      const site = { client_id: clientId, name: body.site.name, created_at: at.toISOString() }
      const { id: siteId } = await insertSite(tx, site)
      const fields = await setFieldValues(tx, { model: 'client', id: clientId }, body.custom_fields)
      await showToRole(tx, caller, clientId, emit)
      const shared = { caller, action: 'add', at, emit } as const
      const after = { name, sites: [site.name], ...(fields && { custom_fields: fields.after }) }
      const client = { id: clientId, name }
      await audit(tx, {
        ...shared,
        object_type: 'client',
        message: `Added the client "${name}"`,
        after,
        client,
      })
      if (body.monitor_server === true) {
        await audit(tx, {
          ...shared,
          action: 'agent_install',
          object_type: 'site',
          message: `Started enrolling the server's machine at site "${site.name}" of client "${name}"`,
          site: { id: siteId },
        })
      }
      emit({ type: 'client.changed', ids: [clientId] })
      return { clientId, siteId }
    }),
  )
}

/** Who sees only some clients would not see the one just made: the role gets it. */
async function showToRole(
  tx: Db,
  caller: Caller,
  clientId: number,
  emit: (event: Event) => void,
): Promise<void> {
  if (caller.scope.all) return
  const user = await tx
    .selectFrom('users')
    .select('role_id')
    .where('id', '=', caller.userId)
    .executeTakeFirst()
  if (user?.role_id == null) return
  await tx.insertInto('role_clients').values({ role_id: user.role_id, client_id: clientId }).execute()
  const colleagues = await tx.selectFrom('users').select('id').where('role_id', '=', user.role_id).execute()
  emit({ type: 'user.changed', ids: colleagues.map(({ id }) => id) })
}
