import type { AgentFacts, ProtectionSubject } from '@muster/contract/agent/facts'
import { compileAgeMatch, compileCustomTerm, compileTextMatch } from '@muster/rules/search/machine-search'
import type { CustomSearchField } from '@muster/rules/search/search-fields'
import { type FieldTerm, splitCustomName } from '@muster/rules/search/search-tree'
import type { Context } from '../../../context.ts'
import { findValues, readValue } from '../../custom-fields/queries.ts'
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
  antivirus_product: productTerm('antivirus'),
  firewall_product: productTerm('firewall'),
  mac: factTerm((facts) => facts.addresses.flatMap(({ mac }) => spellings(mac.toLowerCase()))),
  disk_serial: factTerm((facts) => facts.physical_disks.map(({ serial }) => serial)),
  file_system: factTerm((facts) => facts.disks.map(({ fstype }) => fstype)),
  device: factTerm((facts) => facts.disks.map(({ device }) => device)),
  guest: factTerm((facts) =>
    (facts.guests ?? []).flatMap(({ runtime, guests }) => [
      runtime,
      ...guests.flatMap(({ name, image }) => [name, image].filter((text) => text !== '')),
    ]),
  ),
  guest_state: choiceTerm((facts) =>
    (facts.guests ?? []).flatMap(({ guests }) => guests.map(({ state }) => state)),
  ),
  time_zone: factTerm((facts) => [facts.time_zone]),
  enrolled: { permission: 'can_list_agents', find: findByEnrolment },
} satisfies Record<string, TermSource>

function protection(subject: ProtectionSubject): TermSource {
  return choiceTerm(({ security = [] }) =>
    security.filter((one) => one.subject === subject).map(({ state }) => state),
  )
}

function productTerm(subject: ProtectionSubject): TermSource {
  return factTerm(({ security = [] }) =>
    security.filter((one) => one.subject === subject).map(({ name }) => name),
  )
}

/** As users write a MAC address. Systems report zeros for interfaces without a card. */
function spellings(mac: string): string[] {
  const digits = mac.replaceAll(/[:-]/g, '')
  if (/^0*$/.test(digits)) return []
  const pairs = digits.match(/../g) ?? []
  return [pairs.join(':'), pairs.join('-'), digits]
}

/** A term whose values are names: "on" is no part of "attention". */
function choiceTerm(namesOf: (facts: AgentFacts) => readonly string[]): TermSource {
  const source = factTerm(namesOf)
  return {
    ...source,
    find: (ctx, term) =>
      source.find(ctx, {
        ...term,
        matches: term.matches.map((match) => (match.op === ':' ? { ...match, op: '=' } : match)),
      }),
  }
}

/** A term for a custom field of clients or sites. Undefined if it was deleted since. */
export function ownerFieldTerm(
  term: FieldTerm,
  customFields: readonly CustomSearchField[],
): TermSource | undefined {
  const wanted = splitCustomName(term.field)
  const field = customFields.find(({ name, model }) => name === wanted?.name && model === wanted.model)
  if (field === undefined || (wanted?.model !== 'client' && wanted?.model !== 'site')) return undefined
  const { model } = wanted
  return {
    permission: model === 'client' ? 'can_list_clients' : 'can_list_sites',
    async find({ db, now }) {
      const values = new Map(
        (await findValues(db, model))
          .filter(({ field_id }) => field_id === field.id)
          .map(({ owner, value }) => [owner, readValue(value)]),
      )
      const test = compileCustomTerm(field, term, now().getTime())
      const agents = await db
        .selectFrom('agents')
        .innerJoin('sites', 'sites.id', 'agents.site_id')
        .select(['agents.agent_id', 'agents.site_id', 'sites.client_id'])
        .execute()
      const fits = new Map<number, boolean>()
      const isOwnerFitting = (owner: number) => {
        const known = fits.get(owner) ?? test(values.get(owner))
        fits.set(owner, known)
        return known
      }
      return new Set(
        agents
          .filter(({ site_id, client_id }) => isOwnerFitting(model === 'client' ? client_id : site_id))
          .map(({ agent_id }) => agent_id),
      )
    },
  }
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
