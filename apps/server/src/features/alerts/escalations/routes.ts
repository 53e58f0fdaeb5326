import {
  createEscalationChain,
  deleteEscalationChain,
  editEscalationChain,
  type EscalationChain,
  getEscalationChain,
  listAlertNotifications,
  listEscalationChains,
  listEscalationTargets,
} from '@muster/contract/api/escalations'
import type { Context } from '../../../context.ts'
import { type Api, route } from '../../../platform/http/route.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { requireAlert } from '../change-alerts.ts'
import { readChannel } from '../channels/plan-notices.ts'
import { findChannels } from '../channels/queries.ts'
import { isVisible } from '../channels/write-channel.ts'
import { findPeople, findSchedules, viewPerson } from '../on-call/queries.ts'
import { type ChainRow, findChains, readChain } from './queries.ts'
import { findNotifications } from './view-escalation.ts'
import { addChain, changeChain, findChainUses, removeChain, requireChain } from './write-chain.ts'

export function escalationRoutes(api: Api, ctx: Context): void {
  route(api, listEscalationChains, async ({ caller }) => view(await findChains(ctx.db), caller))
  route(api, listEscalationTargets, async ({ caller }) => ({
    users: [...(await findPeople(ctx.db)).values()].map(viewPerson),
    schedules: (await findSchedules(ctx.db)).map(({ id, name }) => ({ id, name })),
    channels: (await findVisibleChannels(caller)).map((row) => {
      const { id, name, kind } = readChannel(row)
      return { id, name, kind }
    }),
  }))
  route(api, getEscalationChain, async ({ params, caller }) =>
    viewOne(await requireChain(ctx.db, params.id), caller),
  )
  route(api, createEscalationChain, async ({ body, caller }) =>
    viewOne(await addChain(ctx, caller, body), caller),
  )
  route(api, editEscalationChain, async ({ params: { id }, body: { modified, ...form }, caller }) =>
    viewOne(await changeChain(ctx, caller, { id, modified, form }), caller),
  )
  route(api, deleteEscalationChain, async ({ params, caller }) => {
    await removeChain(ctx, caller, params.id)
    return null
  })
  route(api, listAlertNotifications, async ({ params, caller }) => {
    const { id } = await requireAlert(ctx.db, caller, params.id)
    return findNotifications(ctx.db, id)
  })

  async function findVisibleChannels(caller: Caller) {
    return (await findChannels(ctx.db)).filter((row) => isVisible(caller, row))
  }

  async function view(rows: readonly ChainRow[], caller: Caller): Promise<EscalationChain[]> {
    const people = await findPeople(ctx.db)
    const schedules = namesOf(await findSchedules(ctx.db))
    const channels = namesOf(await findVisibleChannels(caller))
    const uses = await findChainUses(ctx.db)
    return rows.map((row) => {
      const form = readChain(row)
      return {
        ...form,
        id: row.id,
        step_names: form.steps.map((step) => [
          ...step.users.map((id) => people.get(id)?.name ?? 'Deleted user'),
          ...step.schedules.map((id) => schedules.get(id) ?? 'Deleted schedule'),
          ...step.channels.map((id) => channels.get(id) ?? 'Unknown channel'),
        ]),
        used_by: uses.get(row.id) ?? [],
        modified: row.modified,
      }
    })
  }

  async function viewOne(row: ChainRow, caller: Caller): Promise<EscalationChain> {
    const [chain] = await view([row], caller)
    if (chain === undefined) throw new Error('the chain that was just read does not exist')
    return chain
  }
}

const namesOf = (rows: readonly { id: number; name: string }[]) =>
  new Map(rows.map(({ id, name }) => [id, name]))
