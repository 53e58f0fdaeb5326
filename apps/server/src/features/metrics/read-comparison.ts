import type { CheckSettings } from '@muster/contract/api/checks'
import type { Comparison } from '@muster/contract/api/metrics'
import { AppError } from '@muster/contract/errors'
import { checkKey } from '@muster/rules/checks/check-key'
import type { Context } from '../../context.ts'
import { type Caller, mayDo } from '../../platform/http/caller.ts'
import type { AgentWithSite } from '../agents/queries.ts'
import { requireAgent } from '../agents/require-agent.ts'
import { graphSeries } from '../../samples/graph-series.ts'
import { findMachineSeries, findSeries, type SeriesRow } from '../../samples/queries.ts'
import { findCheck } from '../checks/queries.ts'
import { readSettings } from '../checks/view.ts'
import { type ComparedCheck, findComparedChecks } from './queries.ts'

interface ComparedValue {
  agents: readonly string[]
  what: string
  from: number
  to: number
}

/** A value that several machines may have: a metric, or the same check on all of them. */
interface Choice {
  what: string
  series: string
  /** The check's key, as returned by `checkKey`. Null = a metric. */
  key: string | null
  check: Comparison['choices'][number]['check']
}

/** The id of the requested check, which may belong to another machine. */
interface Asked {
  what: string
  series: string
  key: string
}

type KnownCheck = ComparedCheck & { key: string; parsed: CheckSettings }

/** One value of several machines over the same time, and the other values that can be compared. */
export async function readComparison(
  ctx: Pick<Context, 'db' | 'now'>,
  caller: Caller,
  { agents, what, from, to }: ComparedValue,
): Promise<Comparison> {
  const machines: AgentWithSite[] = []
  for (const agentId of agents) machines.push(await requireAgent(ctx.db, agentId, caller))
  const mayListChecks = mayDo(caller, 'can_list_checks')
  if (what.startsWith('check:') && !mayListChecks) {
    throw new AppError('not_allowed', 'Your role does not allow you to see checks. Ask an administrator.')
  }
  const agentIds = machines.map(({ agent_id }) => agent_id)
  const ofMachines = await findMachineSeries(ctx.db, agentIds)
  const checks = mayListChecks ? await listChecks(ctx, agentIds) : []
  const ofChecks = await findSeries(
    ctx.db,
    checks.map(({ id }) => id),
  )
  const asked = await findAsked(ctx, caller, what)
  const choices = [...metricChoices(ofMachines), ...checkChoices(checks, ofChecks, asked)]
  const chosen = choices.find((choice) => choice.what === what)
  const lines: Comparison['lines'] = []
  let unit = ''
  for (const { id: agent, agent_id, hostname } of machines) {
    const check = checks.find(
      (one) => chosen !== undefined && one.agent_id === agent_id && one.key === chosen.key,
    )
    const all = chosen?.key === null ? ofMachines : ofChecks.filter(({ check_id }) => check_id === check?.id)
    const rows = all.filter((row) => row.agent_id === agent_id && row.name === chosen?.series)
    const { resolution, series } = await graphSeries(ctx, { agent, rows }, { from, to })
    unit ||= series[0]?.unit ?? ''
    lines.push({
      agent_id,
      hostname,
      check: check?.id ?? null,
      resolution,
      points: series[0]?.points ?? [],
    })
  }
  return {
    unit,
    lines,
    choices: choices.map(({ what: name, series, check }) => ({ what: name, series, check })),
  }
}

async function findAsked(ctx: Pick<Context, 'db'>, caller: Caller, what: string): Promise<Asked | undefined> {
  const [, id, series] = /^check:(\d{1,9}):(.+)$/.exec(what) ?? []
  if (id === undefined || series === undefined) return undefined
  const check = await findCheck(ctx.db, caller, Number(id))
  return check && { what, series, key: checkKey(readSettings(check)) }
}

async function listChecks(ctx: Pick<Context, 'db'>, agentIds: string[]): Promise<KnownCheck[]> {
  const rows = await findComparedChecks(ctx.db, agentIds)
  return rows.map((row) => {
    const parsed = readSettings(row)
    return { ...row, parsed, key: checkKey(parsed) }
  })
}

function metricChoices(series: readonly SeriesRow[]): Choice[] {
  const names = new Set(series.map(({ name }) => name))
  return Array.from(names, (name) => ({ what: name, series: name, key: null, check: null }))
}

/** Each value once, whichever machine has it. The requested one keeps its name. */
function checkChoices(
  checks: readonly KnownCheck[],
  series: readonly SeriesRow[],
  asked: Asked | undefined,
): Choice[] {
  const byId = new Map(checks.map((check) => [check.id, check]))
  const found = new Map<string, Choice>()
  for (const { check_id, name } of series) {
    const check = check_id === null ? undefined : byId.get(check_id)
    if (check === undefined) continue
    const choiceKey = JSON.stringify([check.key, name])
    if (found.has(choiceKey)) continue
    const isAsked = asked?.key === check.key && asked.series === name
    const what = isAsked ? asked.what : `check:${check.id}:${name}`
    const shown = { settings: check.parsed, script_name: check.script_name }
    found.set(choiceKey, { what, series: name, key: check.key, check: shown })
  }
  return [...found.values()]
}
