import type { getFleetJobOutput, JobGroup } from '@muster/contract/api/fleet-jobs'
import type { Output } from '@muster/contract/endpoint'
import { AppError } from '@muster/contract/errors'
import { keepEnds } from '@muster/rules/text/output-ends'
import type { Context } from '../../context.ts'
import type { Db } from '../../platform/database/database.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { findOutput } from '../runs/queries.ts'
import { selectMachines } from './queries.ts'
import { readGroups } from './view.ts'

const MAX_TEXT = 200_000
const COMPARED = 500

/** The output of one machine of a group, and of the largest successful group. */
export async function readGroupOutput(
  { db }: Context,
  caller: Caller,
  { id, group: groupId }: { id: number; group: string },
): Promise<Output<typeof getFleetJobOutput>> {
  const groups = await readGroups(db, id, caller)
  const group = groups.find((one) => one.id === groupId)
  if (group === undefined)
    throw new AppError('not_found', 'No machine has this result any more. Reload the page.')
  const best = groups
    .filter((one) => one.state === 'succeeded')
    .toSorted((a, b) => b.count - a.count)
    .find((one) => one.id !== groupId)
  return {
    group,
    ...(await outputOf(db, caller, id, group)),
    compare: best === undefined ? null : { group: best, ...(await outputOf(db, caller, id, best)) },
    common: best === undefined ? [] : await findCommon(db, caller, id, { group, other: best }),
  }
}

async function outputOf(
  db: Db,
  caller: Caller,
  jobId: number,
  group: JobGroup,
): Promise<{ stdout: string; stderr: string }> {
  const machine = await selectMachines(db, caller)
    .select('history_id')
    .where('job_id', '=', jobId)
    .where('output_group', '=', group.id)
    .where('history_id', 'is not', null)
    .orderBy('position')
    .limit(1)
    .executeTakeFirst()
  const chunks = machine?.history_id == null ? [] : await findOutput(db, machine.history_id, 0)
  const textOf = (stream: 'stdout' | 'stderr') =>
    keepEnds(
      chunks
        .filter((chunk) => chunk.stream === stream)
        .map(({ text }) => text)
        .join(''),
      MAX_TEXT,
    )
  return { stdout: textOf('stdout'), stderr: textOf('stderr') }
}

const COMPARED_FACTS = [
  ['policy', 'the policy'],
  ['site', 'the site'],
  ['client', 'the client'],
  ['platform', 'the platform'],
  ['agent version', 'agent version'],
] as const

/** Facts that all machines of a group share and none of the other group has, as sentences. */
async function findCommon(
  db: Db,
  caller: Caller,
  jobId: number,
  { group, other }: { group: JobGroup; other: JobGroup },
): Promise<string[]> {
  if (group.state !== 'failed') return []
  const factsOf = async (of: JobGroup) => {
    const rows = await selectMachines(db, caller)
      .innerJoin('agents', 'agents.agent_id', 'fleet_job_agents.agent_id')
      .innerJoin('sites', 'sites.id', 'agents.site_id')
      .innerJoin('clients', 'clients.id', 'sites.client_id')
      .leftJoin('policy_targets', 'policy_targets.agent_id', 'agents.agent_id')
      .leftJoin('policies', 'policies.id', 'policy_targets.policy_id')
      .select(['fleet_job_agents.agent_id', 'sites.name as site', 'clients.name as client'])
      .select(['policies.name as policy', 'agents.version', 'agents.plat'])
      .where('job_id', '=', jobId)
      .where('output_group', '=', of.id)
      .limit(COMPARED)
      .execute()
    return Map.groupBy(rows, ({ agent_id }) => agent_id)
      .values()
      .map((machine) => ({
        policy: machine.flatMap(({ policy }) => policy ?? []),
        site: [machine[0]?.site ?? ''],
        client: [machine[0]?.client ?? ''],
        platform: [machine[0]?.plat ?? ''],
        'agent version': [machine[0]?.version ?? ''],
      }))
      .toArray()
  }
  const [these, those] = [await factsOf(group), await factsOf(other)]
  const [first] = these
  if (first === undefined || those.length === 0) return []
  const who =
    these.length === 1 ? 'The machine has' : these.length === 2 ? 'Both have' : `All ${these.length} have`
  return COMPARED_FACTS.flatMap(([fact, label]) =>
    first[fact]
      .filter((value) => value !== '')
      .filter((value) => these.every((machine) => machine[fact].includes(value)))
      .filter((value) => !those.some((machine) => machine[fact].includes(value)))
      .map((value) => `${who} ${label} "${value}". The ${those.length} others do not.`),
  )
}
