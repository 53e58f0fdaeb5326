import type { AgentFacts, Protection, ProtectionSubject } from '@muster/contract/agent/facts'
import type { AgentValueName } from '@muster/contract/api/agent-values'
import type { Permission } from '@muster/contract/permissions'
import type { Context } from '../../../context.ts'
import type { Db } from '../../../platform/database/database.ts'
import { readFacts } from '../view.ts'

export type ValuesByName = Partial<Record<AgentValueName, ReadonlyMap<string, string | number>>>

/** Reads values of all machines, in any scope, by agent_id. */
export interface ValueSource {
  /** A user needs it to list these values. */
  permission: Permission
  names: readonly AgentValueName[]
  read(ctx: Pick<Context, 'db' | 'now'>, names: readonly AgentValueName[]): Promise<ValuesByName>
}

/** Machines per statement: their facts are a few kilobytes each. */
const STEP = 200

type ValueOf = (facts: AgentFacts) => string | number

const FACTS = {
  time_zone: (facts) => facts.time_zone,
  last_user: (facts) => facts.last_logged_in_user ?? '',
  mac: ({ addresses }) =>
    [...new Set(addresses.map(({ mac }) => mac.toLowerCase()))]
      .filter((mac) => /[1-9a-f]/.test(mac))
      .join(', '),
  antivirus: (facts) => describe(facts, 'antivirus'),
  firewall: (facts) => describe(facts, 'firewall'),
  encryption: (facts) => describe(facts, 'disk_encryption'),
  guests: ({ guests = [] }) => guests.reduce((sum, host) => sum + host.guests.length + host.left_out, 0),
} satisfies Partial<Record<AgentValueName, ValueOf>>

/** The worst state first, as the summary of a machine has it. */
const STATES: readonly Protection['state'][] = ['off', 'attention', 'absent', 'unknown', 'on']

function describe({ security = [] }: AgentFacts, subject: ProtectionSubject): string {
  return security
    .filter((one) => one.subject === subject)
    .toSorted((a, b) => STATES.indexOf(a.state) - STATES.indexOf(b.state))
    .map(({ name, state }) => (name === '' ? state : `${state}: ${name}`))
    .join(', ')
}

export const FACT_VALUES: ValueSource = {
  permission: 'can_list_agents',
  // Its keys are names of values.
  names: Object.keys(FACTS) as (keyof typeof FACTS)[],
  async read({ db }, names) {
    const found = names.map((name) => ({
      name,
      // Only names of this source are asked for.
      valueOf: FACTS[name as keyof typeof FACTS] as ValueOf,
      values: new Map<string, string | number>(),
    }))
    for (let afterId = 0; ;) {
      const rows = await db
        .selectFrom('agent_facts')
        .innerJoin('agents', 'agents.id', 'agent_facts.agent')
        .select(['agents.id', 'agents.agent_id', 'facts'])
        .where('agents.id', '>', afterId)
        .orderBy('agents.id')
        .limit(STEP)
        .execute()
      for (const row of rows) {
        const facts = readFacts(row)
        if (facts === null) continue
        for (const { valueOf, values } of found) {
          const value = valueOf(facts)
          if (value !== '') values.set(row.agent_id, value)
        }
      }
      const last = rows.at(-1)
      if (last === undefined || rows.length < STEP) break
      afterId = last.id
      // Other requests run in between.
      await new Promise(setImmediate)
    }
    return Object.fromEntries(found.map(({ name, values }) => [name, values]))
  },
}

export const ROW_VALUES: ValueSource = {
  permission: 'can_list_agents',
  names: ['enrolled', 'missing_patches'],
  async read({ db }, names) {
    return {
      ...(names.includes('enrolled') && { enrolled: await readEnrolled(db) }),
      ...(names.includes('missing_patches') && { missing_patches: await readMissing(db) }),
    }
  },
}

async function readEnrolled(db: Db): Promise<Map<string, string>> {
  const rows = await db.selectFrom('agents').select(['agent_id', 'created_at']).execute()
  return new Map(rows.map(({ agent_id, created_at }) => [agent_id, created_at]))
}

async function readMissing(db: Db): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('machine_patches')
    .innerJoin('agents', 'agents.id', 'machine_patches.agent')
    .select(['agents.agent_id', 'pending'])
    .execute()
  return new Map(rows.flatMap(({ agent_id, pending }) => (pending === null ? [] : [[agent_id, pending]])))
}
