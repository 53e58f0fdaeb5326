import { compileTextMatch } from '@muster/rules/search/machine-search'
import type { FieldTerm, Match } from '@muster/rules/search/search-tree'
import { sql, type SqlBool } from 'kysely'
import type { Db } from '../../platform/database/database.ts'
import { parsePatches, type StoredPatch } from './queries.ts'

/** Lists per statement: each may have hundreds of patches. */
const STEP = 100

/** The machines with an available patch of a search: `patch:critical`, `patch:kb5031354`, `patch:openssl`. */
export async function findMachinesByPatch(db: Db, { matches }: FieldTerm): Promise<Set<string>> {
  const found = new Set<string>()
  for (const match of matches) for (const id of await findByMatch(db, match)) found.add(id)
  return found
}

async function findByMatch(db: Db, match: Match): Promise<string[]> {
  if (match.op === ':' && match.value === 'unscanned') return findUnscanned(db)
  const { part, fits } = compileMatch(match)
  const found: string[] = []
  for (let afterId = 0; ;) {
    const rows = await db
      .selectFrom('machine_patches')
      .innerJoin('agents', 'agents.id', 'machine_patches.agent')
      .select(['agents.id', 'agents.agent_id', 'patches'])
      .where('agents.id', '>', afterId)
      .where('patches', '<>', '[]')
      // Parsing the lists of all machines would take seconds.
      .where(sql<SqlBool>`lower(patches) like ${`%${part.replaceAll(/[!%_]/g, '!$&')}%`} escape '!'`)
      .orderBy('agents.id')
      .limit(STEP)
      .execute()
    for (const { agent_id, patches } of rows) if (parsePatches(patches).some(fits)) found.push(agent_id)
    const last = rows.at(-1)
    if (last === undefined || rows.length < STEP) return found
    afterId = last.id
    await new Promise(setImmediate)
  }
}

/** Machines without a scan that succeeded. */
async function findUnscanned(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom('agents')
    .leftJoin('machine_patches', 'machine_patches.agent', 'agents.id')
    .select('agents.agent_id')
    .where('changed_at', 'is', null)
    .execute()
  return rows.map(({ agent_id }) => agent_id)
}

interface PatchMatch {
  /** In the JSON of every list with such a patch, in lower case. */
  part: string
  fits: (patch: StoredPatch) => boolean
}

function compileMatch(match: Match): PatchMatch {
  const name = match.op === ':' ? match.value : ''
  const isWanted = ({ action }: StoredPatch) => action !== 'ignore'
  switch (name) {
    case 'critical':
    case 'important':
    case 'moderate':
    case 'low':
      return {
        part: `"severity":"${name}"`,
        fits: (patch) => isWanted(patch) && patch.severity.toLowerCase() === name,
      }
    case 'security':
      return { part: '"security":true', fits: (patch) => isWanted(patch) && patch.security }
    case 'pending':
      return { part: '', fits: isWanted }
    case 'ignored':
      return { part: '"action":"ignore"', fits: (patch) => !isWanted(patch) }
    default: {
      const fits = compileTextMatch(match)
      return {
        part: plainPart(match),
        fits: (patch) => isWanted(patch) && (fits(patch.title) || fits(patch.kb) || fits(patch.guid)),
      }
    }
  }
}

/** The longest part of a pattern, without letters that JSON or a database may write in another way. */
function plainPart(match: Match): string {
  const parts = match.op === '..' ? [] : (match.value.match(/[ !#-)+-[\]-~]+/g) ?? [])
  return parts.reduce((longest, part) => (part.length > longest.length ? part : longest), '')
}
