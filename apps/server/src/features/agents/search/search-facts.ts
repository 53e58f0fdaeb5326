import type { AgentFacts, ProtectionSubject } from '@muster/contract/agent/facts'
import { compileAgeMatch, compileTextMatch } from '@muster/rules/search/machine-search'
import type { FieldTerm } from '@muster/rules/search/search-tree'
import type { Context } from '../../../context.ts'
import { readFacts } from '../view.ts'
import type { TermSource } from './find-matching-agents.ts'

/** Machines per statement: their facts are a few kilobytes each. */
const STEP = 200

/** Facts that rows of machines do not have. */
export const FACT_TERMS = {
  antivirus: protection('antivirus'),
  firewall: protection('firewall'),
  encryption: protection('disk_encryption'),
  tpm: protection('tpm'),
  access_control: protection('access_control'),
  guest: factTerm((facts) =>
    (facts.guests ?? []).flatMap(({ runtime, guests }) => [
      runtime,
      ...guests.flatMap(({ name, image }) => [name, image].filter((text) => text !== '')),
    ]),
  ),
  time_zone: factTerm((facts) => [facts.time_zone]),
  enrolled: { permission: 'can_list_agents', find: findByEnrolment },
} satisfies Record<string, TermSource>

function protection(subject: ProtectionSubject): TermSource {
  return factTerm(({ security = [] }) =>
    security.filter((one) => one.subject === subject).map(({ state }) => state),
  )
}

/** A term that one of these texts has to match. */
function factTerm(textsOf: (facts: AgentFacts) => readonly string[]): TermSource {
  return {
    permission: 'can_list_agents',
    async find({ db }, { matches }) {
      const tests = matches.map(compileTextMatch)
      const found = new Set<string>()
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
          const texts = facts === null ? [] : textsOf(facts)
          if (texts.some((text) => tests.some((test) => test(text)))) found.add(row.agent_id)
        }
        const last = rows.at(-1)
        if (last === undefined || rows.length < STEP) return found
        afterId = last.id
        await new Promise(setImmediate)
      }
    },
  }
}

async function findByEnrolment(
  { db, now }: Pick<Context, 'db' | 'now'>,
  { matches }: FieldTerm,
): Promise<Set<string>> {
  const tests = matches.map((match) => compileAgeMatch(match, now().getTime()))
  const rows = await db.selectFrom('agents').select(['agent_id', 'created_at']).execute()
  return new Set(
    rows.flatMap(({ agent_id, created_at }) =>
      tests.some((test) => test(Date.parse(created_at))) ? agent_id : [],
    ),
  )
}
