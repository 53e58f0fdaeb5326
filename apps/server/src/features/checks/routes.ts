import {
  type Check,
  createCheck,
  deleteCheck,
  editCheck,
  getCheck,
  getCheckHistory,
  getCheckSamples,
  listAgentChecks,
  listChecks,
  resetAllChecks,
  resetCheck,
  runChecks,
  runNodeChecks,
} from '@muster/contract/api/checks'
import { AppError } from '@muster/contract/errors'
import type { Context } from '../../context.ts'
import { type Api, route } from '../../platform/http/route.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { requireAgent } from '../agents/require-agent.ts'
import { graphCheck, readHistory } from './read-history.ts'
import type { Db } from '../../platform/database/database.ts'
import { visibleTo } from '../../platform/database/visible-to.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { audit } from '../audit/write-audit.ts'
import {
  addCheck,
  changeCheck,
  ownerOf,
  removeCheck,
  requireCheck,
  resetAll,
  resetOne,
} from './write-check.ts'
import { findChecks } from './queries.ts'
import { viewCheck } from './view.ts'
import { findServerChecks, makeDue } from './from-server/run-queries.ts'

/** Its settings also beside the other fields, and a service by its Windows name. */
function toReference({ settings, ...check }: Check) {
  const { check_type, ...own } = settings
  return { ...own, ...check, settings, check_type: check_type === 'service' ? 'winsvc' : check_type }
}
const one = { toReference }
const list = { toReference: (checks: Check[]) => checks.map(toReference) }

export function checksRoutes(api: Api, ctx: Context, fleet: Fleet): void {
  const ofMachine = async (agentId: string, caller: Caller) => {
    const agent = await requireAgent(ctx.db, agentId, caller)
    return (await findChecks(ctx.db, caller, agent.agent_id)).map(viewCheck)
  }
  route(api, listAgentChecks, ({ params, caller }) => ofMachine(params.agent_id, caller), list)
  route(api, listChecks, async ({ caller }) => (await findChecks(ctx.db, caller)).map(viewCheck), list)
  route(api, createCheck, async ({ body: { agent, policy, ...check }, caller }) => {
    const owner = ownerOf({ agent, policy })
    if ('agent' in owner) return viewCheck(await addCheck(ctx, caller, { ...check, ...owner }))
    return ctx.hooks.addPolicyItem(ctx, caller, {
      policyId: owner.policy,
      added: { kind: 'checks', item: { ...check, depends_on: check.depends_on ?? undefined } },
    })
  })
  route(
    api,
    getCheck,
    async ({ params, caller }) => viewCheck(await requireCheck(ctx.db, caller, params.id)),
    one,
  )
  route(
    api,
    editCheck,
    async ({ params, body, caller }) => viewCheck(await changeCheck(ctx, caller, params.id, body)),
    one,
  )
  route(api, deleteCheck, async ({ params, caller }) => {
    await removeCheck(ctx, caller, params.id)
    return null
  })
  route(api, getCheckSamples, async ({ params, query, caller }) =>
    graphCheck(ctx, await requireCheck(ctx.db, caller, params.id), query),
  )
  route(api, getCheckHistory, async ({ params, body, caller }) =>
    readHistory(ctx, await requireCheck(ctx.db, caller, params.id), body.timeFilter),
  )
  route(api, resetCheck, async ({ params, caller }) => viewCheck(await resetOne(ctx, caller, params.id)))
  route(api, resetAllChecks, ({ params, caller }) => resetAll(ctx, caller, params.agent_id))
  route(api, runChecks, async ({ params, body, caller }) => {
    await runNow(ctx, fleet, { caller, agentId: params.agent_id, ids: body.ids })
    return null
  })
  route(api, runNodeChecks, ({ params, caller }) => runNowBelow(ctx, fleet, { caller, node: params }))
}

/** Runs these checks of a machine now, or all of them. Server checks run here. */
export async function runNow(
  ctx: Context,
  fleet: Fleet,
  asked: { caller: Caller; agentId: string; ids: number[] | undefined },
): Promise<void> {
  const { caller, agentId, ids } = asked
  const agent = await requireAgent(ctx.db, agentId, caller)
  const here = await findServerChecks(ctx.db, agent.agent_id, ids)
  const there = ids?.filter((id) => !here.includes(id))
  const needsMachine = there === undefined ? here.length === 0 : there.length > 0
  if (needsMachine || there === undefined) {
    const input = { ids: there ?? null }
    const sent = await fleet.sendAgentCommand(agent.agent_id, 'run-checks', {
      input,
      author: caller.username,
    })
    if (!sent && needsMachine)
      throw new AppError('agent_offline', `${agent.hostname} is offline. Try again when it is connected.`)
  }
  await makeDue(ctx.db, here, ctx.now())
  const which = ids === undefined ? 'all checks' : ids.length === 1 ? 'a check' : `${ids.length} checks`
  await ctx.transaction((tx, emit) =>
    audit(tx, {
      caller,
      action: 'execute_command',
      object_type: 'check',
      message: `Ran ${which} of "${agent.hostname}"`,
      ...(ids === undefined ? {} : { after: { checks: ids } }),
      agent,
      at: ctx.now(),
      emit,
    }),
  )
}

/** Runs all checks of every visible machine of a client or a site. */
async function runNowBelow(
  ctx: Context,
  fleet: Fleet,
  { caller, node }: { caller: Caller; node: { level: 'client' | 'site'; id: number } },
): Promise<{ sent: number; offline: number }> {
  const { name, agentIds } = await findBelow(ctx.db, caller, node)
  const here: number[] = []
  for (const agentId of agentIds) here.push(...(await findServerChecks(ctx.db, agentId, undefined)))
  const order = { input: { ids: null }, author: caller.username }
  const reached = await Promise.all(
    agentIds.map((agentId) => fleet.sendAgentCommand(agentId, 'run-checks', order)),
  )
  await makeDue(ctx.db, here, ctx.now())
  const sent = reached.filter(Boolean).length
  const offline = agentIds.length - sent
  await ctx.transaction((tx, emit) =>
    audit(tx, {
      caller,
      action: 'bulk_action',
      object_type: 'check',
      message: `Ran all checks of the ${node.level} "${name}"`,
      after: { sent, offline },
      [node.level]: { id: node.id, name },
      at: ctx.now(),
      emit,
    }),
  )
  return { sent, offline }
}

async function findBelow(
  db: Db,
  caller: Caller,
  { level, id }: { level: 'client' | 'site'; id: number },
): Promise<{ name: string; agentIds: string[] }> {
  const rows = await db
    .selectFrom('sites')
    .innerJoin('clients', 'clients.id', 'sites.client_id')
    .leftJoin('agents', 'agents.site_id', 'sites.id')
    .select(['agents.agent_id', level === 'site' ? 'sites.name' : 'clients.name'])
    .where(level === 'site' ? 'sites.id' : 'sites.client_id', '=', id)
    .where(visibleTo(caller))
    .execute()
  const [first] = rows
  if (first === undefined)
    throw new AppError('not_found', `This ${level} does not exist, or you may not see it.`)
  return { name: first.name, agentIds: rows.flatMap(({ agent_id }) => agent_id ?? []) }
}
