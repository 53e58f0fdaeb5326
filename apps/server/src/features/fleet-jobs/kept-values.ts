import type { PatchAction } from '@muster/contract/api/patches'
import type { Context } from '../../context.ts'
import type { Db } from '../../platform/database/database.ts'
import type { FileBefore } from './file-action.ts'
import type { PushBefore } from './push-action.ts'
import type { RegistryBefore } from './registry-action.ts'
import type { ServiceBefore } from './service-action.ts'

/** The values that undo restores on a machine. */
export type BeforeJob =
  | { maintenance: boolean }
  | { site: number }
  | { field: number; value: string | boolean | string[] }
  /** Tags that the job gave and took. */
  | { tags: { added: string[]; removed: string[] } }
  | { patches: { guid: string; version: string; action: PatchAction }[] }
  | { service: ServiceBefore }
  | { registry: RegistryBefore }
  | { file: FileBefore }
  | { pushed: PushBefore }
  /** Why they were not kept, as a sentence. */
  | { lost: string }

/** Content of machines may be secret, so it is stored encrypted. */
type StoredBefore = Exclude<BeforeJob, { registry: unknown } | { file: unknown }> | { sealed: string }

/** Stores what only the machine knows. `isSet`: it already is as the job wants, perhaps by an earlier try. */
export type Keep = (before: BeforeJob, found: { isSet: boolean }) => Promise<void>

/** Stores what was there before a job. What an earlier try has left does not replace it. */
export async function keepBefore(
  { db, secrets }: Pick<Context, 'db' | 'secrets'>,
  { jobId, agentId, isSet }: { jobId: number; agentId: string; isSet: boolean },
  before: BeforeJob,
): Promise<void> {
  const isSecret = 'registry' in before || 'file' in before
  const stored: StoredBefore = isSecret ? { sealed: secrets.encrypt(JSON.stringify(before)) } : before
  await db
    .updateTable('fleet_job_agents')
    .set({ before: JSON.stringify(stored) })
    .where('job_id', '=', jobId)
    .where('agent_id', '=', agentId)
    .$if(isSet, (query) => query.where('before', 'is', null))
    .execute()
}

/** The machines that a job has changed. The value says why undo is not possible there; undefined = it is. */
export async function findChanged(db: Db, jobId: number): Promise<Map<string, string | undefined>> {
  const rows = await changedBy(db, jobId)
    .select('agent_id')
    .select((eb) => eb.case().when('before', 'like', '{"lost":%').then(eb.ref('before')).end().as('lost'))
    .execute()
  return new Map(
    rows.map(({ agent_id, lost }) => {
      // Written by keepBefore.
      const kept = lost === null ? undefined : (JSON.parse(lost) as Extract<BeforeJob, { lost: string }>)
      return [agent_id, kept?.lost]
    }),
  )
}

/** The values before a job on these machines. */
export async function readBefore(
  { db, secrets }: Pick<Context, 'db' | 'secrets'>,
  jobId: number,
  agentIds: readonly string[],
): Promise<Map<string, BeforeJob>> {
  if (agentIds.length === 0) return new Map()
  const rows = await changedBy(db, jobId)
    .select(['agent_id', 'before'])
    .where('agent_id', 'in', agentIds)
    .execute()
  return new Map(
    rows.map((row) => {
      // Written by keepBefore, or as JSON by advance-job.ts.
      const stored = JSON.parse(row.before ?? '{}') as StoredBefore
      const before = 'sealed' in stored ? (JSON.parse(secrets.decrypt(stored.sealed)) as BeforeJob) : stored
      return [row.agent_id, before]
    }),
  )
}

const changedBy = (db: Db, jobId: number) =>
  db
    .selectFrom('fleet_job_agents')
    .where('job_id', '=', jobId)
    .where('state', '=', 'succeeded')
    .where('before', 'is not', null)
