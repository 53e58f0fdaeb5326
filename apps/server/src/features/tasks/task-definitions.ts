import type { TaskDefinition } from '@muster/contract/agent/tasks'
import type { DefinitionKind } from '../../fleet/definition-sync.ts'
import { findTaskDefinitions } from './definitions.ts'

/** Synchronizes task definitions. */
export const taskDefinitions: DefinitionKind<TaskDefinition> = {
  noun: 'tasks',
  version: 'tasks_version',
  event: 'task.redefined',
  mostAtOnce: 200,
  findWanted: (db, agentIds) =>
    db
      .selectFrom('tasks')
      .select(['id', 'agent_id', 'revision'])
      .where('agent_id', 'in', agentIds)
      .where('revision', '!=', '')
      .orderBy('id')
      .execute(),
  define: ({ db, secrets }, ids) => findTaskDefinitions(db, ids, secrets),
}
