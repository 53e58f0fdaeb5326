import { compileTextMatch, compileVersionMatch } from '@muster/rules/search/machine-search'
import type { FieldTerm, Match } from '@muster/rules/search/search-tree'
import { sql, type SqlBool } from 'kysely'
import type { Db } from '../../platform/database/database.ts'
import { chunk } from '../../platform/database/sql.ts'

/** Packages per statement. */
const STEP = 5000

/** The machines with a package of a search: `software:firefox<130`. */
export async function findMachinesBySoftware(db: Db, { matches }: FieldTerm): Promise<Set<string>> {
  const packages = new Set<number>()
  for (const match of matches) for (const id of await findPackages(db, match)) packages.add(id)
  const agents = new Set<number>()
  for (const ids of chunk([...packages])) {
    const rows = await db
      .selectFrom('machine_software')
      .select('agent')
      .distinct()
      .where('package', 'in', ids)
      .execute()
    for (const { agent } of rows) agents.add(agent)
  }
  return findAgentIds(db, agents)
}

async function findPackages(db: Db, match: Match): Promise<number[]> {
  if (match.op === '..') return []
  const fitsName = compileTextMatch(match)
  const fitsVersion = match.version && compileVersionMatch({ ...match.version, isPattern: false })
  // The longest part of a pattern narrows what is read; the comparison itself is that of every search.
  const part = match.value
    .split('*')
    .reduce((longest, next) => (next.length > longest.length ? next : longest))
  const found: number[] = []
  for (let afterId = 0; ;) {
    const rows = await db
      .selectFrom('software_packages')
      .select(['id', 'name', 'version'])
      .where('id', '>', afterId)
      .$if(isAscii(part), (query) =>
        query.where(sql<SqlBool>`search_text like ${`%${part.replaceAll(/[!%_]/g, '!$&')}%`} escape '!'`),
      )
      .orderBy('id')
      .limit(STEP)
      .execute()
    for (const { id, name, version } of rows) {
      if (fitsName(name) && fitsVersion?.(version) !== false) found.push(id)
    }
    const last = rows.at(-1)
    if (last === undefined || rows.length < STEP) return found
    afterId = last.id
    await new Promise(setImmediate)
  }
}

async function findAgentIds(db: Db, agents: ReadonlySet<number>): Promise<Set<string>> {
  const found = new Set<string>()
  for (const ids of chunk([...agents])) {
    const rows = await db.selectFrom('agents').select('agent_id').where('id', 'in', ids).execute()
    for (const { agent_id } of rows) found.add(agent_id)
  }
  return found
}

/** Other letters may be stored composed or decomposed. */
function isAscii(text: string): boolean {
  return text !== '' && /^[ -~]*$/.test(text)
}
