import type { CheckDefinition } from '@muster/contract/agent/checks'
import { SERVER_CHECK_TYPES } from '@muster/contract/checks/server-checks'
import type { DefinitionKind } from '../../fleet/definition-sync.ts'
import { findDefinitions } from './definitions.ts'

/** Synchronizes check definitions. */
export const checkDefinitions: DefinitionKind<CheckDefinition> = {
  noun: 'checks',
  version: 'checks_version',
  event: 'check.redefined',
  mostAtOnce: 500,
  findWanted: (db, agentIds) =>
    db
      .selectFrom('checks')
      .select(['id', 'agent_id', 'revision'])
      .where('agent_id', 'in', agentIds)
      .where('check_type', 'not in', SERVER_CHECK_TYPES)
      .where('overridden_by', 'is', null)
      .where((eb) => eb.or([eb('check_type', '!=', 'script'), eb('script_id', 'is not', null)]))
      .orderBy('id')
      .execute(),
  define: ({ db, secrets }, ids) => findDefinitions(db, ids, secrets),
}
