import type { JobAction } from '@muster/contract/fleet-jobs/job-draft'
import type { Db } from '../../platform/database/database.ts'
import { tagKey } from '../tags/queries.ts'
import type { BeforeJob } from './kept-values.ts'

type Action = Extract<JobAction, { type: 'tags' }>

export function describeTags({ add, remove }: Action): string {
  const added = add.length === 0 ? '' : `Add the ${many(add)}`
  if (remove.length === 0) return added
  return added === '' ? `Remove the ${many(remove)}` : `${added} and remove the ${many(remove)}`
}

const many = (names: readonly string[]) =>
  `${names.length === 1 ? 'tag' : 'tags'} ${names.map((name) => `"${name}"`).join(', ')}`

/** The tags that the action gives to each of these machines, and takes from it. */
export async function readTagsBefore(
  db: Db,
  agentIds: string[],
  { add, remove }: Action,
): Promise<Map<string, BeforeJob>> {
  const rows = await db
    .selectFrom('agent_tags')
    .innerJoin('tags', 'tags.id', 'agent_tags.tag_id')
    .select(['agent_id', 'name_key'])
    .where('agent_id', 'in', agentIds)
    .execute()
  const byAgent = Map.groupBy(rows, ({ agent_id }) => agent_id)
  return new Map(
    agentIds.map((id) => {
      const own = new Set(byAgent.get(id)?.map(({ name_key }) => name_key))
      const has = (name: string) => own.has(tagKey(name))
      return [id, { tags: { added: add.filter((name) => !has(name)), removed: remove.filter(has) } }]
    }),
  )
}
