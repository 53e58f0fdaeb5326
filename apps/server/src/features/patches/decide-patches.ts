import type { decidePatches, PatchAction } from '@muster/contract/api/patches'
import type { Parsed } from '@muster/contract/endpoint'
import { AppError } from '@muster/contract/errors'
import type { Event } from '@muster/contract/events'
import type { Context } from '../../context.ts'
import { lockRow } from '../../platform/database/change-row.ts'
import type { Db } from '../../platform/database/database.ts'
import { chunk } from '../../platform/database/sql.ts'
import { visibleTo } from '../../platform/database/visible-to.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { refuseOnServerMachine } from '../agents/refuse-server-machine.ts'
import { audit } from '../audit/write-audit.ts'
import { indexPatches, patchDigest } from './patch-index.ts'
import {
  countPending,
  judgeSoon,
  withDecision,
  parsePatches,
  readPatchId,
  type StoredPatch,
} from './queries.ts'

const DONE: Record<PatchAction, [one: string, many: string]> = {
  approve: ['Approved the patch', 'Approved'],
  ignore: ['Ignored the patch', 'Ignored'],
  inherit: ['Reset the decision about the patch', 'Reset the decision about'],
  nothing: ['Reset the decision about the patch', 'Reset the decision about'],
}

/** Approves or ignores a patch of one machine. */
export function decideForOne(
  ctx: Context,
  caller: Caller,
  { id, action }: { id: number; action: PatchAction },
): Promise<{ agent: number; patch: StoredPatch }> {
  const { agent, number } = readPatchId(id)
  return ctx.transaction(async (tx, emit) => {
    const machine = await tx
      .selectFrom('agents')
      .innerJoin('sites', 'sites.id', 'agents.site_id')
      .select(['agents.agent_id', 'agents.hostname', 'agents.server_machine'])
      .where('agents.id', '=', agent)
      .where(visibleTo(caller))
      .executeTakeFirst()
    if (machine === undefined) refuse()
    refuseOnServerMachine(machine, caller)
    const { before, after } = await writeDecision(tx, agent, {
      action,
      fits: (patch) => patch.number === number,
      now: ctx.now(),
    })
    const [was, is] = [before[0], after[0]]
    if (was === undefined || is === undefined) refuse()
    if (isDecided(was, action)) return { agent, patch: is }
    await audit(tx, {
      caller,
      action: 'modify',
      object_type: 'winupdate',
      message: `${DONE[action][0]} "${was.title}" of "${machine.hostname}"`,
      before: { action: was.action },
      after: { guid: was.guid, version: was.version, action },
      agent: machine,
      at: ctx.now(),
      emit,
    })
    emitDecided(emit, [machine.agent_id])
    return { agent, patch: is }
  })
}

/** Decides about all patches of a machine that fit. Returns how many decisions changed. */
export function decideOnMachine(
  ctx: Context,
  caller: Caller,
  {
    machine,
    action,
    fits,
  }: {
    machine: { id: number; agent_id: string; hostname: string; client_id: number }
    action: PatchAction
    fits: (patch: StoredPatch) => boolean
  },
): Promise<number> {
  return ctx.transaction(async (tx, emit) => {
    const { before } = await writeDecision(tx, machine.id, { action, fits, now: ctx.now() })
    const titles = before.filter((patch) => !isDecided(patch, action)).map(({ title }) => title)
    if (titles.length === 0) return 0
    const done = [{ machine, titles }]
    await auditMany(tx, { caller, action, client: machine.client_id, done, at: ctx.now(), emit })
    emitDecided(emit, [machine.agent_id])
    return titles.length
  })
}

function refuse(): never {
  throw new AppError('not_found', 'This patch is no longer available. Scan again.')
}

/** Names of machines in an audit row. */
const NAMED = 100

/**
 * Approves or ignores patches on all machines in scope that can install them, in transactions of some machines each, with
 * one audit row per client and transaction. Returns the number of machines with a changed decision.
 */
export async function decideForMany(
  ctx: Context,
  caller: Caller,
  { patches, action, agents, client }: Parsed<typeof decidePatches>['body'],
): Promise<number> {
  const wanted = new Set(patches)
  const machines = await findMachines(ctx.db, caller, { patches, client })
  const named = agents === undefined ? undefined : new Set(agents)
  const chosen = machines.filter(({ agent_id }) => named?.has(agent_id) !== false)
  if (chosen.length === 0)
    throw new AppError('not_found', 'No machine can install this patch any more. Reload the list.')
  let count = 0
  for (const slice of chunk(chosen)) {
    const changed = await ctx.transaction(async (tx, emit) => {
      const done: { machine: (typeof slice)[number]; titles: string[] }[] = []
      for (const machine of slice) {
        const { before } = await writeDecision(tx, machine.id, {
          action,
          fits: (patch) => wanted.has(patchDigest(patch)),
          now: ctx.now(),
        })
        const titles = before.filter((patch) => !isDecided(patch, action)).map(({ title }) => title)
        if (titles.length > 0) done.push({ machine, titles })
      }
      await auditDecisions(tx, { caller, action, done, at: ctx.now(), emit })
      if (done.length > 0)
        emitDecided(
          emit,
          done.map(({ machine }) => machine.agent_id),
        )
      return done.length
    })
    count += changed
  }
  return count
}

function findMachines(
  db: Db,
  caller: Caller,
  { patches, client }: { patches: readonly string[]; client: number | undefined },
) {
  return (
    db
      .selectFrom('patch_versions')
      .innerJoin('machine_patch_versions', 'machine_patch_versions.patch', 'patch_versions.id')
      .innerJoin('agents', 'agents.id', 'machine_patch_versions.agent')
      .innerJoin('sites', 'sites.id', 'agents.site_id')
      .select(['agents.id', 'agents.agent_id', 'hostname', 'client_id'])
      .distinct()
      .where('digest', 'in', patches)
      .where(visibleTo(caller))
      .$if(client !== undefined, (query) => query.where('client_id', '=', client ?? 0))
      // In a fixed order, so that two users who decide at once cannot deadlock.
      .orderBy('agents.id')
      .execute()
  )
}

interface Decisions {
  caller: Pick<Caller, 'username' | 'source'>
  action: PatchAction
  done: { machine: { hostname: string; client_id: number }; titles: string[] }[]
  at: Date
  emit: (event: Event) => void
}

/** One audit row per client. */
export async function auditDecisions(tx: Db, { done, ...decided }: Decisions): Promise<void> {
  for (const [client, ofClient] of Map.groupBy(done, ({ machine }) => machine.client_id))
    await auditMany(tx, { ...decided, client, done: ofClient })
}

async function auditMany(
  tx: Db,
  { caller, action, client, done, at, emit }: Decisions & { client: number },
): Promise<void> {
  const titles = [...new Set(done.flatMap((one) => one.titles))]
  const [only] = titles
  const what = titles.length === 1 ? `the patch "${only}"` : `${titles.length} patches`
  const machines = done.length === 1 ? `"${done[0]?.machine.hostname}"` : `${done.length} machines`
  await audit(tx, {
    caller,
    action: 'modify',
    object_type: 'winupdate',
    message: `${DONE[action][1]} ${what} on ${machines}`,
    after: {
      action,
      patches: titles,
      machines: done.slice(0, NAMED).map(({ machine }) => machine.hostname),
    },
    client: { id: client },
    at,
    emit,
  })
}

/** Writes a decision into the list of a machine. Returns the patches that fit, before and after. */
async function writeDecision(
  tx: Db,
  agent: number,
  { action, fits, now }: { action: PatchAction; fits: (patch: StoredPatch) => boolean; now: Date },
): Promise<{ before: StoredPatch[]; after: StoredPatch[] }> {
  await lockRow(tx, 'machine_patches', 'agent', agent)
  const row = await tx
    .selectFrom('machine_patches')
    .select(['patches', 'left_out'])
    .where('agent', '=', agent)
    .executeTakeFirst()
  const patches = row === undefined ? [] : parsePatches(row.patches)
  const before = patches.filter(fits)
  const after = before.map((patch) => withDecision(patch, action))
  if (row === undefined || before.every((patch) => isDecided(patch, action))) return { before, after }
  const changed = patches.map((patch) => (fits(patch) ? withDecision(patch, action) : patch))
  await tx
    .updateTable('machine_patches')
    .set({ patches: JSON.stringify(changed), pending: countPending(changed, row.left_out) })
    .where('agent', '=', agent)
    .execute()
  await indexPatches(tx, agent, { patches: changed, now })
  if (action === 'inherit') await judgeSoon(tx, agent, now)
  return { before, after }
}

/** Whether a user has decided so. What a policy has decided may become the decision of a user. */
const isDecided = (patch: StoredPatch, action: PatchAction) =>
  patch.action === action && patch.by_policy !== true

export function emitDecided(emit: (event: Event) => void, agentIds: string[]): void {
  const about = { ids: agentIds, agent_ids: agentIds }
  emit({ type: 'patches.scanned', ...about })
  emit({ type: 'patches.changed', ...about })
  // The machines table shows the number of patches.
  emit({ type: 'agent.changed', ...about, passing: true })
}
