import type { Context } from '../../context.ts'
import type { Db } from '../../platform/database/database.ts'
import { enqueueApply } from '../alerts/templates/apply-templates.ts'
import { writeAssigned } from '../alerts/templates/template-resolver.ts'
import { applyPolicies } from './apply-policies.ts'
import { loadPolicySet, onlyPolicies, type PolicySet } from './policy-set.ts'
import { findMachines, inBatches } from './machines.ts'
import { givenBy } from './kinds/alert-template.ts'
import { chunk } from './queries.ts'

const TICK_MS = 250

/**
 * Brings machines in line with their policies after each change: of a policy, a machine (added, moved, new facts), or
 * the name of a client. Changes during downtime are applied at the start.
 */
export class PolicySweep implements AsyncDisposable {
  #ctx: Context
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  #waiting = new Set<string>()
  #clients = new Set<number>()
  #policies = new Set<number>()
  #scripts = new Set<number>()
  #allWait = true
  /** Whether there is a policy or a remainder of one. Without any, only a changed policy sets it. */
  #isNeeded = true
  /** The policies of the last sweep: a change affects the machines that a policy applied to then or applies to now. */
  #applied: PolicySet | undefined
  #stopped = false
  #failed = false

  constructor(ctx: Context) {
    this.#ctx = ctx
    ctx.onEvent(({ type, ids, passing }) => {
      if (type === 'policy.changed') {
        // Without ids any of them may have changed.
        if (ids.length === 0) this.#allWait = true
        for (const id of ids) this.#policies.add(Number(id))
      }
      if (type === 'script.changed') for (const id of ids) this.#scripts.add(Number(id))
      if (passing !== true && (type === 'agent.changed' || type === 'agent.added')) {
        for (const id of ids) this.#waiting.add(String(id))
      }
      if (type === 'client.changed') for (const id of ids) this.#clients.add(Number(id))
    })
    ctx.bus.onReconnect(() => {
      this.#allWait = true
    })
  }

  start(): void {
    this.#timer = setInterval(() => {
      if (this.#running === undefined) void this.run()
    }, TICK_MS)
  }

  /** Brings the waiting machines in line. Resolves when done. */
  async run(): Promise<void> {
    while (this.#running !== undefined) await this.#running
    const parts = [this.#waiting, this.#clients, this.#policies, this.#scripts]
    if (this.#stopped || (!this.#allWait && parts.every(({ size }) => size === 0))) return
    this.#running = this.#sweep().finally(() => {
      this.#running = undefined
    })
    await this.#running
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped = true
    clearInterval(this.#timer)
    await this.#running
  }

  async #sweep(): Promise<void> {
    const { db, log } = this.#ctx
    const before = this.#applied
    const mayBeAny = this.#allWait
    const all = mayBeAny || before === undefined
    const waiting = this.#waiting
    const clients = this.#clients
    const changed = { policies: this.#policies, scripts: this.#scripts }
    this.#allWait = false
    this.#waiting = new Set()
    this.#clients = new Set()
    this.#policies = new Set()
    this.#scripts = new Set()
    try {
      if (mayBeAny || changed.policies.size > 0) this.#isNeeded = true
      this.#isNeeded &&= await isNeeded(db)
      if (this.#isNeeded) {
        const set = await loadPolicySet(db)
        if (before !== undefined && !all) {
          for (const id of await findClientAgents(db, [...clients])) waiting.add(id)
          for (const id of await findReached(db, [before, set], changed)) waiting.add(id)
        }
        await applyPolicies(this.#ctx, all ? undefined : [...waiting])
        if (all || clients.size > 0 || changed.policies.size > 0) await applySiteTemplates(this.#ctx)
        this.#applied = set
      }
      this.#failed = false
    } catch (error) {
      // Once per outage, not four times a second.
      if (!this.#failed) log.error({ err: error }, 'policies not applied')
      this.#failed = true
      this.#allWait = true
    }
  }
}

/** Whether there is a policy, or a remainder of one. */
async function isNeeded(db: Db): Promise<boolean> {
  if ((await db.selectFrom('policies').select('id').limit(1).executeTakeFirst()) !== undefined) return true
  const left = db.selectFrom('checks').select('id').where('policy_id', 'is not', null).limit(1)
  if ((await left.executeTakeFirst()) !== undefined) return true
  const tasks = db.selectFrom('tasks').select('id').where('policy_id', 'is not', null).limit(1)
  if ((await tasks.executeTakeFirst()) !== undefined) return true
  for (const table of ['agents', 'sites'] as const) {
    const named = db.selectFrom(table).select('id').where('policy_templates', '<>', '[]').limit(1)
    if ((await named.executeTakeFirst()) !== undefined) return true
  }
  const patched = db.selectFrom('machine_patch_policies').select('agent').where('policy', '<>', '{}').limit(1)
  if ((await patched.executeTakeFirst()) !== undefined) return true
  const enforced = db
    .selectFrom('machine_software_policies')
    .select('agent')
    .where('policy', '<>', '[]')
    .limit(1)
  if ((await enforced.executeTakeFirst()) !== undefined) return true
  const given = db.selectFrom('agents').select('id').where('setting_sources', 'like', '%"given"%').limit(1)
  return (await given.executeTakeFirst()) !== undefined
}

/** Machines of these clients. */
async function findClientAgents(db: Db, clientIds: number[]): Promise<string[]> {
  if (clientIds.length === 0) return []
  const rows = await db
    .selectFrom('agents')
    .innerJoin('sites', 'sites.id', 'agents.site_id')
    .select('agents.agent_id')
    .where('sites.client_id', 'in', clientIds)
    .execute()
  return rows.map(({ agent_id }) => agent_id)
}

interface Changed {
  policies: ReadonlySet<number>
  scripts: ReadonlySet<number>
}

/** Machines with a changed policy in their old or new chain. A changed script changes its policies. */
async function findReached(
  db: Db,
  sets: readonly PolicySet[],
  { policies, scripts }: Changed,
): Promise<string[]> {
  const wanted = new Set([...policies, ...sets.flatMap((set) => findUsing(set, scripts))])
  if (wanted.size === 0) return []
  const reached: string[] = []
  const parts = sets.map((set) => onlyPolicies(set, wanted))
  const withText = parts.some(({ hasSearches }) => hasSearches)
  for await (const machines of inBatches(await findMachines(db, { withText }))) {
    for (const machine of machines) {
      if (parts.some((set) => set.chainOf(machine).length > 0)) reached.push(machine.agent_id)
    }
  }
  return reached
}

function findUsing(set: PolicySet, scripts: ReadonlySet<number>): number[] {
  if (scripts.size === 0) return []
  return Array.from(set.policies.values())
    .filter(({ document }) =>
      document.content.checks.some(
        ({ settings }) => settings.check_type === 'script' && scripts.has(settings.script),
      ),
    )
    .map(({ id }) => id)
}

/** Stores the alert templates of policies for whole sites: an alert may have no machine. */
async function applySiteTemplates(ctx: Context): Promise<void> {
  const set = await loadPolicySet(ctx.db)
  const sites = await ctx.db
    .selectFrom('sites')
    .innerJoin('clients', 'clients.id', 'sites.client_id')
    .select(['sites.id', 'sites.client_id', 'sites.policy_templates'])
    .select('sites.block_policy_inheritance as blocked_by_site')
    .select('clients.block_policy_inheritance as blocked_by_client')
    .execute()
  const groups = new Map<string, number[]>()
  for (const { id, client_id, policy_templates, blocked_by_site, blocked_by_client } of sites) {
    const chain = set.chainOf({
      agent_id: '',
      site_id: id,
      client_id,
      monitoring_type: null,
      blocks: { agent: false, site: blocked_by_site === 1, client: blocked_by_client === 1 },
      target: () => undefined,
    })
    // A search selects machines.
    const given = writeAssigned(
      givenBy(
        set,
        chain.filter(({ assignment }) => assignment.level !== 'search'),
      ),
    )
    if (given !== policy_templates) groups.set(given, [...(groups.get(given) ?? []), id])
  }
  for (const [policy_templates, ids] of groups) {
    for (const slice of chunk(ids)) {
      await ctx.db.updateTable('sites').set({ policy_templates }).where('id', 'in', slice).execute()
    }
  }
  if (groups.size > 0) await enqueueApply(ctx, ctx.db)
}
