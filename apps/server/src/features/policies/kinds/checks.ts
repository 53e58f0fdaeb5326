import type { CheckSettings } from '@muster/contract/api/checks'
import type { PolicyCheck } from '@muster/contract/policies/policy-content'
import { checkFitsPlatform, checkKey } from '@muster/rules/checks/check-key'
import { mergePolicies, type PolicyItem } from '@muster/rules/policies/policy-merge'
import { describeCheck } from '@muster/rules/checks/check-name'
import type { Db } from '../../../platform/database/database.ts'
import { readSettings } from '../../checks/view.ts'
import type { PolicyMachine } from '../machines.ts'
import type { PolicySet } from '../policy-set.ts'
import { chunk } from '../queries.ts'
import { applyChecks } from './apply-checks.ts'
import { findHeldChecks, isInLine } from './held-checks.ts'
import {
  addOwn,
  appliedOf,
  findReachedBy,
  type ChainedMachine,
  type ContentKind,
  type Resolved,
  type Thing,
} from './kind.ts'

/** A check of a policy. Undefined for the machine's own. */
export type CheckRef = PolicyCheck | undefined
type Item = PolicyItem<Thing<CheckRef>>

/** Checks of policies. Each machine has its own rows for them, with its own results, graphs and alerts. */
export const checksKind: ContentKind<CheckRef> = {
  name: 'checks',
  resolve: async (db, set, machines) => {
    const library = new PolicyItems(set)
    const own = await findOwn(db, set, machines)
    return machines.map((chained) => {
      const { machine } = chained
      const unfit: Resolved<CheckRef>['unfit'] = []
      const applied = appliedOf(set, chained, (policy) => {
        const { fitting, others } = library.itemsFor(policy, machine.plat)
        unfit.push(...others.map(({ value }) => ({ what: value.what, policy, why: 'other_system' as const })))
        return fitting
      })
      return { ...chained, effective: mergePolicies(own.get(machine.agent_id) ?? [], applied), unfit }
    })
  },
  findDrift: async (db, resolved) => {
    const held = await findHeldChecks(
      db,
      resolved.map(({ machine }) => machine.agent_id),
    )
    return resolved.filter((one) => !isInLine(one, held.get(one.machine.agent_id)))
  },
  findRowIds: async (db, { machine, effective }) => {
    const held = (await findHeldChecks(db, [machine.agent_id])).get(machine.agent_id)?.ofPolicies ?? []
    const ids = new Map(held.map((row) => [`${row.policy_id} ${row.policy_check}`, row.id]))
    return new Map(
      effective.flatMap(({ key, value, source }) => {
        const id = source.own ? undefined : ids.get(`${source.policy} ${value.ref?.id}`)
        return id === undefined ? [] : [[key, id] as const]
      }),
    )
  },
  apply: applyChecks,
}

/** The items of each policy, built once per platform. */
class PolicyItems {
  #set: PolicySet
  #known = new Map<string, { fitting: Item[]; others: Item[] }>()

  constructor(set: PolicySet) {
    this.#set = set
  }

  itemsFor(policyId: number, plat: PolicyMachine['plat']): { fitting: Item[]; others: Item[] } {
    const key = `${policyId} ${plat}`
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const checks = this.#set.policies.get(policyId)?.document.content.checks ?? []
    const all = checks.map((check) => {
      const script = check.settings.check_type === 'script' ? check.settings.script : undefined
      const found = script === undefined ? undefined : this.#set.scripts.get(script)
      const { settings, fails_b4_alert, run_interval, depends_on } = check
      return {
        fits: checkFitsPlatform(settings, plat, found?.supported_platforms),
        item: {
          key: checkKey(settings),
          value: {
            what: describeCheck({ settings, script_name: found?.name ?? null }),
            digest: JSON.stringify([settings, fails_b4_alert, run_interval, depends_on]),
            row_id: null,
            ref: check,
          },
        },
      }
    })
    const made = {
      fitting: all.filter(({ fits }) => fits).map(({ item }) => item),
      others: all.filter(({ fits }) => !fits).map(({ item }) => item),
    }
    this.#known.set(key, made)
    return made
  }
}

/** Own checks of machines that have policy checks or overridden own checks. */
async function findOwn(
  db: Db,
  set: PolicySet,
  machines: readonly ChainedMachine[],
): Promise<Map<string, Item[]>> {
  const found = new Map<string, Item[]>()
  const reached = findReachedBy(set, machines, ({ checks }) => checks.length > 0)
  for (const slice of chunk(reached)) {
    const rows = await db
      .selectFrom('checks')
      .select(['id', 'agent_id', 'check_type', 'settings'])
      .where('agent_id', 'in', slice)
      .where('policy_id', 'is', null)
      .orderBy('id')
      .execute()
    for (const { id, agent_id, ...row } of rows) {
      const settings = readSettings(row)
      addOwn(found, agent_id, { key: checkKey(settings), value: ownThing(id, settings, set) })
    }
  }
  return found
}

function ownThing(id: number, settings: CheckSettings, set: PolicySet): Thing<CheckRef> {
  const script = settings.check_type === 'script' ? set.scripts.get(settings.script) : undefined
  const what = describeCheck({ settings, script_name: script?.name ?? null })
  return { what, digest: JSON.stringify(settings), row_id: id, ref: undefined }
}
