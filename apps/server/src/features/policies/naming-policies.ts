import type { Db } from '../../platform/database/database.ts'
import { type Caller, mayDo } from '../../platform/http/caller.ts'
import type { NamingPolicy } from '../alerts/templates/view.ts'
import { createPolicyVisibility } from './policy-visibility.ts'
import { loadPolicySet } from './policy-set.ts'

/** Visible policies that assign an alert template. */
export async function findNamingPolicies(db: Db, caller: Caller): Promise<NamingPolicy[]> {
  if (!mayDo(caller, 'can_list_automation_policies')) return []
  const set = await loadPolicySet(db)
  const naming = [...set.policies.values()].filter(({ document }) => document.content.alert_template !== null)
  if (naming.length === 0) return []
  const visibleScope = await createPolicyVisibility(db, caller, set)
  return naming
    .filter((policy) => visibleScope.sees(policy))
    .map(({ id, document: { name, content } }) => ({ id, name, alert_template_id: content.alert_template }))
}
