import { createHash } from 'node:crypto'
import { CheckDefinition, measureSettings } from '@muster/contract/agent/checks'
import type { CheckSettings } from '@muster/contract/api/checks'
import { SERVER_CHECK_TYPES } from '@muster/contract/checks/server-checks'
import type { Db } from '../../platform/database/database.ts'
import { loadSnippets } from '../scripts/expand-script.ts'
import {
  type CallMachine,
  loadCalls,
  type ScriptCalls,
  type UserMachine,
  userOf,
} from '../scripts/load-calls.ts'
import type { OpenKeys } from '../scripts/load-variables.ts'
import type { DefinitionKind } from '../../fleet/definition-sync.ts'
import { isServerCheck } from './from-server/server-kind.ts'
import { readSettings } from './view.ts'

export interface DefinedCheck {
  agent_id: string
  definition: CheckDefinition
}

/**
 * The definitions that agents get for these checks. Server checks, overridden checks and checks without a script have
 * none. Without `keys`, keys of the key store stay sealed, which is enough to compute the revision: it is the same
 * either way.
 */
export async function findDefinitions(db: Db, ids: number[], keys?: OpenKeys): Promise<DefinedCheck[]> {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('checks')
    .innerJoin('agents', 'agents.agent_id', 'checks.agent_id')
    .select(['checks.id', 'checks.agent_id', 'check_type', 'settings', 'script_id', 'run_interval'])
    .leftJoin('policies', 'policies.id', 'checks.policy_id')
    .select(['agents.check_interval', 'agents.hostname', 'agents.runs_as_user'])
    .select((eb) => eb.fn.coalesce('policies.author_id', 'checks.author_id').as('author_id'))
    .where('checks.id', 'in', ids)
    .where('overridden_by', 'is', null)
    .orderBy('checks.id')
    .execute()
  const scripts = await findScripts(db, rows)
  const calling = rows.flatMap((row) => {
    const settings = readSettings(row)
    return settings.check_type === 'script'
      ? [{ agent_id: row.agent_id, author_id: row.author_id, ...settings }]
      : []
  })
  const [sealed, opened] = await loadCalls(db, calling, keys)
  return rows.flatMap((row) => {
    const settings = readSettings(row)
    if (isServerCheck(settings)) return []
    const script = scripts.get(row.script_id ?? 0)
    const define = (calls: ScriptCalls) => {
      const measure = measureOf(row, settings, { script, calls })
      if (measure === undefined) return undefined
      const run_interval_seconds = row.run_interval === 0 ? row.check_interval : row.run_interval
      const what = { check_type: settings.check_type, run_interval_seconds, settings: measure }
      // Parsing removes thresholds and names, which agents do not need.
      return CheckDefinition.parse({ id: row.id, revision: '', ...what })
    }
    const definition = define(sealed)
    if (definition === undefined) return []
    const { id: _, ...rest } = definition
    const revision = `${subjectOf(settings)}.${digest(rest, 24)}`
    const sent = opened === sealed ? definition : (define(opened) ?? definition)
    return [{ agent_id: row.agent_id, definition: { ...sent, revision } }]
  })
}

/** The revisions of the server checks among these checks. */
export async function findServerRevisions(
  db: Db,
  ids: number[],
): Promise<{ id: number; agent_id: string; revision: string }[]> {
  const rows = await db
    .selectFrom('checks')
    .innerJoin('agents', 'agents.agent_id', 'checks.agent_id')
    .select(['checks.id', 'checks.agent_id', 'check_type', 'settings', 'run_interval'])
    .select('agents.check_interval')
    .where('checks.id', 'in', ids)
    .where('overridden_by', 'is', null)
    .where('check_type', 'in', SERVER_CHECK_TYPES)
    .execute()
  return rows.map((row) => {
    const subject = subjectOf(readSettings(row))
    const seconds = row.run_interval === 0 ? row.check_interval : row.run_interval
    return { id: row.id, agent_id: row.agent_id, revision: `${subject}.${digest(seconds, 24)}` }
  })
}

/**
 * A revision identifies the measured subject first and then the whole definition. A result of an older definition
 * (another script version) still counts, one of another subject (another disk) does not.
 */
export function isSameSubject(revision: string, other: string): boolean {
  return revision.split('.', 1)[0] === other.split('.', 1)[0]
}

/** A digest of the measured subject. */
export function subjectOf(settings: CheckSettings): string {
  switch (settings.check_type) {
    case 'diskspace':
      return digest(settings.disk)
    case 'cpuload':
    case 'memory':
      return digest(settings.check_type)
    case 'ping':
      return digest(settings.ip)
    case 'service':
      return digest(settings.svc_name)
    case 'script':
      return digest([settings.script, settings.script_args])
    case 'process':
      return digest(settings.process_name)
    case 'file':
      return digest(settings.path)
    case 'eventlog':
    case 'journal':
      return digest(measureSettings[settings.check_type].parse(settings))
    case 'http': {
      const { url, method, text_present, text_absent, follow_redirects, ignore_certificate } = settings
      return digest([url, method, text_present, text_absent, follow_redirects, ignore_certificate])
    }
    case 'tcp':
      return digest([settings.host, settings.port])
    case 'dns':
      return digest([settings.record_name, settings.record_type, settings.resolver])
  }
}

function digest(value: unknown, length = 12): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, length)
}

type ScriptText = { id: number; shell: string; script_body: string; run_as_user: 0 | 1 }

/** Each script once: ten thousand machines may run the same megabyte. */
async function findScripts(db: Db, rows: { script_id: number | null }[]): Promise<Map<number, ScriptText>> {
  const ids = [...new Set(rows.map(({ script_id }) => script_id).filter((id) => id !== null))]
  if (ids.length === 0) return new Map()
  const scripts = await db
    .selectFrom('scripts')
    .select(['id', 'shell', 'script_body', 'run_as_user'])
    .where('id', 'in', ids)
    .execute()
  const expand = await loadSnippets(db)
  return new Map(scripts.map((script) => [script.id, { ...script, script_body: expand(script.script_body) }]))
}

function measureOf(
  row: CallMachine & UserMachine,
  settings: CheckSettings,
  { script, calls }: { script: ScriptText | undefined; calls: ScriptCalls },
): unknown {
  if (settings.check_type !== 'script') return settings
  if (script === undefined) return undefined
  return {
    interpreter: script.shell,
    body: script.script_body,
    ...calls(row, settings, script.shell),
    ...userOf(script, row),
    timeout_seconds: settings.timeout,
  }
}

/** Synchronizes check definitions. */
export const checkDefinitions: DefinitionKind<CheckDefinition> = {
  noun: 'checks',
  version: 'checks_version',
  event: 'check.redefined',
  mostAtOnce: 500,
  findWanted: (db, agentIds) =>
    db
      .selectFrom('checks')
      .innerJoin('agents', 'agents.agent_id', 'checks.agent_id')
      .select(['checks.id', 'checks.agent_id', 'revision'])
      .where('checks.agent_id', 'in', agentIds)
      .where((eb) =>
        eb.or([
          eb('server_machine', '=', 0),
          eb('check_type', '!=', 'script'),
          eb('revision', '=', eb.ref('approved_revision')),
        ]),
      )
      .where('check_type', 'not in', SERVER_CHECK_TYPES)
      .where('overridden_by', 'is', null)
      .where((eb) => eb.or([eb('check_type', '!=', 'script'), eb('script_id', 'is not', null)]))
      .orderBy('checks.id')
      .execute(),
  define: ({ db, secrets }, ids) => findDefinitions(db, ids, secrets),
}
