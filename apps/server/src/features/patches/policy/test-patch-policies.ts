import type { Patch } from '@muster/contract/agent/patches'
import { editPatch, getPatchPolicy, listPatches } from '@muster/contract/api/patches'
import type { PolicyDocument } from '@muster/contract/api/policies'
import { NO_CONTENT } from '@muster/contract/policies/policy-content'
import { NO_PATCH_POLICY, type PatchApproval, type PatchPolicy } from '@muster/contract/policies/patch-policy'
import type { Database } from '../../../platform/database/database.ts'
import type { OpenDatabase } from '../../../platform/database/open-database.ts'
import { prepareFleet } from '../../policies/test-policies.ts'
import { patchesJobs } from '../jobs.ts'
import { storePatches } from '../store-patches.ts'

/** A Wednesday. */
export const NOW = '2026-11-25T12:00:00.000Z'
export const DAY = 86_400

const MANUAL = { action: 'manual', after_days: 0 } as const
export const approvalOf = (parts: Partial<PatchApproval>): PatchApproval => ({
  critical: MANUAL,
  important: MANUAL,
  moderate: MANUAL,
  low: MANUAL,
  security: MANUAL,
  other: MANUAL,
  categories: [],
  ignore: [],
  ...parts,
})

/** Everything at once, every day at 03:00. */
export const ALL = approvalOf({
  critical: { action: 'approve', after_days: 0 },
  other: { action: 'approve', after_days: 0 },
})
export const DAILY = {
  recurs: 'weekly',
  weekdays: [0, 1, 2, 3, 4, 5, 6],
  month_days: [],
  time: '03:00',
  late_hours: 6,
} as const satisfies PatchPolicy['schedule']

export const patching = (parts: Partial<PatchPolicy>) => ({
  ...NO_CONTENT,
  patches: { ...NO_PATCH_POLICY, ...parts },
})
export const everywhere: PolicyDocument['targets'] = [{ level: 'default', monitoring_type: null }]

type Machine = { agent_id: string; id: number }

/** A fleet whose machines report patches, and the timed function of policies. */
export async function preparePatching(database?: OpenDatabase<Database>, env: Record<string, string> = {}) {
  const fleet = await prepareFleet(database, env)
  const { server, pc } = fleet
  const { ctx } = server
  server.clock.freeze(NOW)
  const tick = async () => {
    const job = patchesJobs(ctx, server.app.fleet).find(({ name }) => name === 'patches.apply-policies')
    await job?.run({}, new AbortController().signal)
  }
  const ada = await server.given.user({ username: 'ada', superuser: true })
  /** Sessions end while days pass. */
  const asAda = async () => server.as(await server.given.anotherSignIn(ada))
  const paramsOf = ({ agent_id }: { agent_id: string }) => ({ params: { agent_id } })
  return {
    ...fleet,
    ctx,
    tick,
    asAda,
    report: ({ agent_id: agentId }: { agent_id: string }, patches: Patch[]) => {
      const hash = Buffer.from(JSON.stringify(patches)).toString('hex').slice(-32).padStart(32, '0')
      const report = { kind: 'patches' as const, found: { hash, patches, left_out: 0 }, problem: null }
      return ctx.transaction((tx, emit) =>
        storePatches(tx, emit, { reports: [{ agentId, report }], now: ctx.now() }),
      )
    },
    list: async (machine: { agent_id: string } = pc) =>
      (await (await asAda()).call(listPatches, paramsOf(machine))).body.map(({ guid, action, by_policy }) => [
        guid,
        action,
        by_policy,
      ]),
    view: async (machine: { agent_id: string } = pc) =>
      (await (await asAda()).call(getPatchPolicy, paramsOf(machine))).body,
    decide: async (guid: string, action: 'approve' | 'ignore' | 'inherit' | 'nothing') => {
      const user = await asAda()
      const found = (await user.call(listPatches, paramsOf(pc))).body.find((patch) => patch.guid === guid)
      await user.call(editPatch, { params: { id: found?.id ?? 0 }, body: { action } })
    },
    connect: (machine: Machine, connected: 0 | 1 = 1) =>
      ctx.db.updateTable('agents').set({ connected }).where('id', '=', machine.id).execute(),
    runs: ({ agent_id }: { agent_id: string } = pc) =>
      ctx.db
        .selectFrom('agent_history')
        .select(['id', 'type', 'state', 'command', 'args', 'username'])
        .where('agent_id', '=', agent_id)
        .orderBy('id')
        .execute(),
    /** Ends the newest run of a machine. */
    endRun: async (
      { agent_id }: { agent_id: string },
      state: 'done' | 'failed',
      reason: string | null = null,
    ) => {
      const run = await ctx.db
        .selectFrom('agent_history')
        .select('id')
        .where('agent_id', '=', agent_id)
        .orderBy('id', 'desc')
        .limit(1)
        .executeTakeFirstOrThrow()
      await ctx.db
        .updateTable('agent_history')
        .set({ state, reason, retcode: state === 'done' ? 0 : 1, finished_at: ctx.now().toISOString() })
        .where('id', '=', run.id)
        .execute()
    },
    [Symbol.asyncDispose]: () => fleet[Symbol.asyncDispose](),
  }
}
