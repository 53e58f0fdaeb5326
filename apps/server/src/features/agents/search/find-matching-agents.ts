import type { AgentRow } from '@muster/contract/api/agents'
import { AppError } from '@muster/contract/errors'
import type { Permission } from '@muster/contract/permissions'
import { compileSearch } from '@muster/rules/search/machine-search'
import { searchText } from '@muster/rules/search/search-text'
import { parseSearch } from '@muster/rules/search/parse-search'
import { type CustomSearchField, isRemoteField } from '@muster/rules/search/search-fields'
import { type FieldTerm, formatTerm, splitCustomName, termsOf } from '@muster/rules/search/search-tree'
import type { Context } from '../../../context.ts'
import type { Fleet } from '../../../fleet/fleet.ts'
import type { RowFilter } from '../../../fleet/handlers.ts'
import type { Db } from '../../../platform/database/database.ts'
import { type Caller, mayDo } from '../../../platform/http/caller.ts'
import { findFields } from '../../custom-fields/queries.ts'
import { ownerFieldTerm } from './search-facts.ts'

/** Finds the machines that match a remote term, in any scope. */
export interface TermSource {
  /** A user needs it to search by this field. */
  permission: Permission
  find(ctx: Pick<Context, 'db' | 'now'>, term: FieldTerm): Promise<ReadonlySet<string>>
}

export interface MatchingAgents {
  /** In no particular order. */
  ids: string[]
  rows: AgentRow[]
  /** The visible machines that match each remote term. */
  terms: { term: string; ids: string[] }[]
}

/**
 * The machines that match a search and that the caller may see. Evaluates the same tree over the same rows as a console.
 * Throws `invalid` with the message of the parser, and `not_allowed` for a term that the caller may not use.
 */
export async function findMatchingAgents(
  ctx: Pick<Context, 'db' | 'now' | 'hooks'>,
  fleet: { rows: Pick<Fleet['rows'], 'list'> },
  caller: Pick<Caller, 'scope' | 'permissions' | 'isSuperuser'>,
  { search, ...filter }: { search: string } & RowFilter,
): Promise<MatchingAgents> {
  const customFields = await findCustomSearchFields(ctx.db)
  const { node, error } = parseSearch(search, customFields)
  if (error !== undefined)
    throw new AppError('invalid', error.message, { fields: { search: [error.message] } })
  const found = new Map<string, ReadonlySet<string>>()
  for (const term of termsOf(node)) {
    const key = formatTerm(term)
    if (!isRemoteField(term.field) || found.has(key)) continue
    found.set(key, await findTerm(ctx, caller, { term, customFields }))
  }
  const rows = await fleet.rows.list(caller, filter)
  const { matches, needsText } = compileSearch(node, {
    nowMs: ctx.now().getTime(),
    customFields,
    sets: found,
  })
  const matching: AgentRow[] = []
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    if (at > 0) await new Promise(setImmediate)
    const slice = rows.slice(at, at + ROWS_AT_ONCE)
    matching.push(...slice.filter((row) => matches(row, needsText ? textOf(row) : '')))
  }
  return {
    ids: matching.map(({ agent_id }) => agent_id),
    rows: matching,
    terms: Array.from(found, ([term, ids]) => ({
      term,
      ids: rows.filter(({ agent_id }) => ids.has(agent_id)).map(({ agent_id }) => agent_id),
    })),
  }
}

/** A few milliseconds, even when their texts are made for the first time. Other requests run in between. */
const ROWS_AT_ONCE = 1000

/** The custom fields of machines, clients and sites, for the parser. */
export async function findCustomSearchFields(db: Db) {
  return (await findFields(db)).map(({ id, name, type, model }) => ({ id, name, type, model }))
}

async function findTerm(
  ctx: Pick<Context, 'db' | 'now' | 'hooks'>,
  caller: Pick<Caller, 'permissions' | 'isSuperuser'>,
  { term, customFields }: { term: FieldTerm; customFields: readonly CustomSearchField[] },
): Promise<ReadonlySet<string>> {
  const source =
    splitCustomName(term.field) === undefined
      ? ctx.hooks.searchTerms[term.field]
      : ownerFieldTerm(term, customFields)
  if (source === undefined) throw new Error(`no source for the search field ${term.field}`)
  if (!mayDo(caller as Caller, source.permission)) {
    throw new AppError('not_allowed', `Your role does not allow you to search by ${term.field}.`)
  }
  return source.find(ctx, term)
}

/** Rows of the cache are replaced when they change. */
const texts = new WeakMap<AgentRow, string>()

function textOf(row: AgentRow): string {
  const known = texts.get(row)
  if (known !== undefined) return known
  const text = searchText(row)
  texts.set(row, text)
  return text
}
