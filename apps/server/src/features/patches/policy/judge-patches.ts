import type { PatchAction } from '@muster/contract/api/patches'
import {
  FIRST_RING,
  judgePatch,
  type PatchVerdict,
  type RingResult,
} from '@muster/rules/patches/patch-approval'
import { nextPatchTime, type PatchTime } from '@muster/rules/patches/patch-schedule'
import { sql } from 'kysely'
import type { Context } from '../../../context.ts'
import { lockRow } from '../../../platform/database/change-row.ts'
import type { Db } from '../../../platform/database/database.ts'
import { chunk } from '../../../platform/database/sql.ts'
import { auditDecisions, emitDecided } from '../decide-patches.ts'
import { indexPatches, patchDigest } from '../patch-index.ts'
import { countPending, parsePatches, type StoredPatch, withDecision } from '../queries.ts'
import { type EffectivePatchPolicy, readClock, readEffective, ringOwner } from './machine-policy.ts'

const knownWindows = new WeakMap<Context, string>()

/** Maintenance windows have changed since the last time: machines that install in theirs are judged again. */
export async function noteWindows(ctx: Context): Promise<void> {
  const { rows } = await sql<object>`
    select count(*) as windows, max(id) as last, max(modified) as changed from maintenance_windows`.execute(
    ctx.db,
  )
  const stamp = JSON.stringify(rows)
  if (stamp === knownWindows.get(ctx)) return
  knownWindows.set(ctx, stamp)
  await ctx.db
    .updateTable('machine_patch_policies')
    .set({ judge_at: ctx.now().toISOString() })
    .where('policy', 'like', '%"recurs":"window"%')
    .execute()
}

/** Machines in one transaction, which takes about 20 ms if all of their patches change. */
const AT_ONCE = 10
/** A result of the ring before may come at any time. */
const RING_MS = 10 * 60_000
const SERVER = { username: 'server', source: '' }

/**
 * Decides about the patches of machines whose policy, list of patches or time has changed, and plans their next
 * installation. Everything follows from the rows: two processes that judge the same machine write the same.
 */
export async function judgeDue(ctx: Context, signal?: AbortSignal): Promise<void> {
  for (;;) {
    signal?.throwIfAborted()
    const now = ctx.now()
    const rows = await ctx.db
      .selectFrom('machine_patch_policies')
      .select('agent')
      .where('judge_at', '<=', now.toISOString())
      .orderBy('judge_at')
      .limit(AT_ONCE)
      .execute()
    if (rows.length === 0) return
    // In a fixed order, so that two processes cannot deadlock.
    const agents = rows.map(({ agent }) => agent).toSorted((a, b) => a - b)
    await ctx.transaction(async (tx, emit) => {
      const judged: Judged[] = []
      for (const agent of agents) judged.push(...(await judgeMachine(tx, agent, now)))
      for (const action of ['approve', 'ignore'] as const)
        await auditDecisions(tx, { caller: SERVER, action, done: decidedBy(judged, action), at: now, emit })
      if (judged.length > 0)
        emitDecided(
          emit,
          judged.map(({ machine }) => machine.agent_id),
        )
    })
    await new Promise(setImmediate)
  }
}

interface Judged {
  machine: { agent_id: string; hostname: string; client_id: number }
  changed: { title: string; action: PatchAction }[]
}

function decidedBy(judged: readonly Judged[], wanted: PatchAction) {
  return judged.flatMap(({ machine, changed }) => {
    const titles = changed.flatMap(({ title, action }) => (action === wanted ? [title] : []))
    return titles.length === 0 ? [] : [{ machine, titles }]
  })
}

async function judgeMachine(tx: Db, agent: number, now: Date): Promise<Judged[]> {
  await lockRow(tx, 'machine_patches', 'agent', agent)
  await lockRow(tx, 'machine_patch_policies', 'agent', agent)
  const row = await tx
    .selectFrom('machine_patch_policies as given')
    .innerJoin('agents', 'agents.id', 'given.agent')
    .innerJoin('sites', 'sites.id', 'agents.site_id')
    .leftJoin('machine_patches', 'machine_patches.agent', 'given.agent')
    .select([
      'given.policy',
      'given.next_at',
      'agents.agent_id',
      'hostname',
      'client_id',
      'patches',
      'left_out',
    ])
    .where('given.agent', '=', agent)
    .executeTakeFirst()
  if (row === undefined) return []
  const policy = readEffective(row.policy)
  const before = parsePatches(row.patches ?? '[]')
  const verdicts = await judgeAll(tx, { agent, patches: before, policy, now })
  const after = before.map((patch) => decide(patch, verdicts.get(patch.number)))
  const isDue = row.next_at !== null && row.next_at <= now.toISOString()
  const next = isDue ? undefined : await findNext(tx, { agent, policy, now })
  await tx
    .updateTable('machine_patch_policies')
    .set({
      judge_at: nextJudgement([...verdicts.values()], now),
      // An installation that is due is about to start.
      ...(isDue ? {} : { next_at: instantOf(next?.startMs), next_until: instantOf(next?.endMs) }),
    })
    .where('agent', '=', agent)
    .execute()
  const changed = after.filter((patch, index) => patch.action !== before[index]?.action)
  if (changed.length === 0) return []
  await tx
    .updateTable('machine_patches')
    .set({ patches: JSON.stringify(after), pending: countPending(after, row.left_out ?? 0) })
    .where('agent', '=', agent)
    .execute()
  await indexPatches(tx, agent, { patches: after, now })
  const { agent_id, hostname, client_id } = row
  return [{ machine: { agent_id, hostname, client_id }, changed }]
}

const instantOf = (ms: number | undefined) => (ms === undefined ? null : new Date(ms).toISOString())

/** A decision of a user stays; what a policy decided before follows the policy. */
function decide(patch: StoredPatch, verdict: PatchVerdict | undefined): StoredPatch {
  const isByUser = patch.action !== 'inherit' && patch.by_policy !== true
  if (isByUser) return patch
  const decision = verdict?.decision
  const isDecided = decision === 'approve' || decision === 'ignore'
  return isDecided ? withDecision(patch, decision, true) : withDecision(patch, 'inherit')
}

interface Judging {
  agent: number
  patches: readonly StoredPatch[]
  policy: EffectivePatchPolicy
  now: Date
}

/** By number, what the policy says about the patches that no user has decided. */
export async function judgeAll(
  db: Db,
  { agent, patches, policy: { approval, ring }, now }: Judging,
): Promise<Map<number, PatchVerdict>> {
  const open = patches.filter(({ action, by_policy }) => action === 'inherit' || by_policy === true)
  if (approval === undefined || open.length === 0) return new Map()
  const digests = open.map(patchDigest)
  const seen = await findFirstSeen(db, digests)
  const { ring: number, after_ring } = ring?.value ?? FIRST_RING
  const results =
    after_ring && number > 1
      ? await findRingResults(db, { policy: ringOwner(approval, agent), ring: number - 1, digests })
      : undefined
  const nowMs = now.getTime()
  return new Map(
    open.map((patch, index) => {
      const digest = digests[index] ?? ''
      const age = { firstSeenMs: seen.get(digest) ?? nowMs, nowMs, before: results?.get(digest) }
      return [patch.number, judgePatch(patch, { approval: approval.value, ring: ring?.value }, age)]
    }),
  )
}

async function findFirstSeen(db: Db, digests: readonly string[]): Promise<Map<string, number>> {
  const seen = new Map<string, number>()
  for (const slice of chunk(digests)) {
    const rows = await db
      .selectFrom('patch_versions')
      .select(['digest', 'first_seen'])
      .where('digest', 'in', slice)
      .execute()
    for (const { digest, first_seen } of rows) seen.set(digest, Date.parse(first_seen))
  }
  return seen
}

async function findRingResults(
  db: Db,
  { policy, ring, digests }: { policy: number; ring: number; digests: readonly string[] },
): Promise<Map<string, RingResult>> {
  const found = new Map<string, RingResult>()
  for (const slice of chunk(digests)) {
    const rows = await db
      .selectFrom('ring_patches')
      .select(['digest', 'succeeded_at', 'failed'])
      .where('policy', '=', policy)
      .where('ring', '=', ring)
      .where('digest', 'in', slice)
      .execute()
    for (const { digest, succeeded_at, failed } of rows)
      found.set(digest, { succeededMs: succeeded_at === null ? undefined : Date.parse(succeeded_at), failed })
  }
  return found
}

function nextJudgement(verdicts: readonly PatchVerdict[], now: Date): string | null {
  const waiting = verdicts.filter(({ decision }) => decision === 'wait')
  if (waiting.length === 0) return null
  const times = waiting.map(({ atMs }) => atMs ?? now.getTime() + RING_MS)
  return new Date(Math.min(...times)).toISOString()
}

async function findNext(
  tx: Db,
  { agent, policy, now }: { agent: number; policy: EffectivePatchPolicy; now: Date },
): Promise<PatchTime | undefined> {
  const schedule = policy.schedule?.value
  if (schedule === undefined) return undefined
  const clock = await readClock(tx, { agent, needsWindows: schedule.recurs === 'window' })
  return nextPatchTime(schedule, clock, now.getTime())
}
