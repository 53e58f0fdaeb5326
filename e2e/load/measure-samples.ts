import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import { getCheckSamples } from '@muster/contract/api/checks'
import { editCoreSettings } from '@muster/contract/api/settings'
import { savePreferences } from '@muster/contract/api/users'
import type { Session } from '../support/sign-in.ts'
import type { Figure } from './budgets.ts'
import { median, percentile } from './figures.ts'
import { CHECKS_EACH, findCheckIds, giveChecks } from './give-checks.ts'
import { openHttp } from './http-client.ts'
import { cpuSeconds, residentMb } from './process-figures.ts'
import { openStage, settle, type Stage } from './stage.ts'

const MACHINES = 2000
const MAX_PER_SECOND = 40_000
const PROMISED_PER_SECOND = 20_500
const USUAL_PER_SECOND = 833
/** A machine whose checks are due together reports them together. */
const RESULTS_PER_REPORT = 10
const INGEST_SECONDS = 15
const GRAPH_SECONDS = 20
const WRITE_SECONDS = 8
const GRAPHS_PER_SECOND = 20
const PAST = { days: 7, everySeconds: 120 }
const MACHINES_WITH_PAST = 15
const OLD_SINCE = '2024-01-01'
const OLD_RUNS = 20_000
const OLD_ENTRIES = 50_000
const DAY_SECONDS = 86_400
const MINUTE_MS = 60_000

/** Ten checks on each of many machines: what a week of them takes on the disk, and how fast they are taken. */
export async function measureSamples(): Promise<Figure[]> {
  await using stage = await openStage({ machines: MACHINES })
  await giveChecks(stage)
  await settle(() => cpuSeconds(stage.server.pid))
  const size = await measureSize(stage)
  const ingest = await measureIngest(stage)
  const graph = await measureGraphs(stage)
  return [ingest, graph, size, await measurePruning(stage)]
}

/** Growth of the database file when some machines send the results of a week. */
async function measureSize(stage: Stage): Promise<Figure> {
  const { fleet, server, started } = stage
  const before = await fleet.ask({ kind: 'look' })
  const bytesBefore = usedBytes(server.dataFolder)
  for (const agentId of started.agentIds.slice(0, MACHINES_WITH_PAST)) {
    await fleet.ask({ kind: 'past', agentId, ...PAST })
    await fleet.ask({ kind: 'await-acknowledged', timeoutMs: 60_000 })
  }
  const after = await fleet.ask({ kind: 'look' })
  // Merging begins with the next minute.
  await wait(MINUTE_MS - (Date.now() % MINUTE_MS) + 2000)
  await settle(() => cpuSeconds(server.pid))
  const bytes = usedBytes(server.dataFolder) - bytesBefore
  const results = after.counts.checkResults - before.counts.checkResults
  const samples = results * (await countNumbers(stage))
  const remark = `${results} results of ${(samples / results).toFixed(1)} numbers each, which take ${(bytes / results).toFixed(1)} bytes a result; ${(bytes / 1e6).toFixed(1)} MB`
  return { budget: 'sampleSize', value: bytes / samples, remark }
}

/** How many numbers a result has, on the average of those machines. */
async function countNumbers(stage: Stage): Promise<number> {
  let numbers = 0
  let checks = 0
  for (const agentId of stage.started.agentIds.slice(0, MACHINES_WITH_PAST)) {
    for (const id of await findCheckIds(stage, agentId)) {
      const query = { from: 0, to: Math.floor(Date.now() / 1000) }
      numbers += (await stage.session.call(getCheckSamples, { params: { id }, query })).series.length
      checks += 1
    }
  }
  return numbers / checks
}

function usedBytes(folder: string): number {
  using database = new DatabaseSync(join(folder, 'muster.db'), { readOnly: true })
  const read = (name: string) => Number(Object.values(database.prepare(`pragma ${name}`).get() ?? {})[0])
  return (read('page_count') - read('freelist_count')) * read('page_size')
}

/** From the first result until the server has acknowledged, and so stored, the last one. */
async function measureIngest(stage: Stage): Promise<Figure> {
  const { server } = stage
  const cpuBefore = cpuSeconds(server.pid)
  const seen = await reportWhile(stage, MAX_PER_SECOND, async () => {
    await wait(INGEST_SECONDS * 1000)
  })
  const cpuShare = ((cpuSeconds(server.pid) - cpuBefore) / seen.seconds) * 100
  const remark = `${seen.results} results of ${MACHINES} machines in ${seen.seconds.toFixed(0)} s, ${RESULTS_PER_REPORT} a report; ${cpuShare.toFixed(0)} % of a core, ${residentMb(server.pid).toFixed(0)} MB`
  return { budget: 'ingest', value: seen.results / seen.seconds, remark }
}

/** Opens graphs of machines with a history, while results arrive at the promised rate. */
async function measureGraphs(stage: Stage): Promise<Figure> {
  let timesMs: number[] = []
  const seen = await reportWhile(stage, PROMISED_PER_SECOND, async () => {
    timesMs = await openGraphs(stage, stage.started.agentIds.slice(0, MACHINES_WITH_PAST))
  })
  const perSecond = seen.results / seen.seconds
  const remark = `median ${median(timesMs).toFixed(1)} ms, ${timesMs.length} graphs at fixed times; ${PAST.days} days of a result every ${PAST.everySeconds} s; ${perSecond.toFixed(0)} results/s meanwhile`
  return { budget: 'graph', value: percentile(timesMs, 95), remark }
}

/** The longest that a write took while a week of old samples and years of records went, on a server with its usual load. */
async function measurePruning(stage: Stage): Promise<Figure> {
  const { session, server } = stage
  addOldRecords(server.dataFolder)
  const before = usedBytes(server.dataFolder)
  let timesMs: number[] = []
  let usualMs: number[] = []
  await reportWhile(stage, USUAL_PER_SECOND, async () => {
    usualMs = await writeAgainAndAgain(session)
    const body = {
      check_history_prune_days: 1,
      check_history_5min_prune_days: 1,
      agent_history_prune_days: 1,
      resolved_alerts_prune_days: 1,
      audit_log_prune_days: 1,
    }
    const removing = session.call(editCoreSettings, { body })
    timesMs = await writeAgainAndAgain(session)
    await removing
  })
  const gone = ((before - usedBytes(server.dataFolder)) / 1e6).toFixed(1)
  const remark = `longest of ${timesMs.length} writes, median ${median(timesMs).toFixed(1)} ms; ${Math.max(...usualMs).toFixed(0)} ms without pruning; ${gone} MB with ${removedRecords(server.dataFolder)} of ${2 * OLD_RUNS + OLD_ENTRIES} runs, alerts and audit entries went, ${USUAL_PER_SECOND} results/s meanwhile`
  return { budget: 'pruneWrite', value: Math.max(...timesMs), remark }
}

/** Records of a server after some years: ended runs with their output, resolved alerts with their log, audit entries. */
function addOldRecords(dataFolder: string): void {
  using db = new DatabaseSync(join(dataFolder, 'muster.db'))
  const numbers = (count: number) =>
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})`
  const at = `strftime('%Y-%m-%dT%H:%M:%fZ', '${OLD_SINCE}', '+' || i || ' minutes')`
  const machines =
    'n join (select agent_id, row_number() over (order by id) as number from agents) on number = i % 500 + 1'
  db.exec(`
    begin;
    ${numbers(OLD_ENTRIES)}
      insert into audit_log (entry_time, username, action, object_type, message, ip_address)
      select ${at}, 'old', 'modify', 'client', 'Changed the name of client ' || i, '' from n;
    ${numbers(OLD_RUNS)}
      insert into agent_history (agent_id, state, type, command, shell, username, nonce, command_name, command_input,
        timeout_seconds, time, expires_at, finished_at)
      select agent_id, 'done', 'cmd_run', 'uptime', 'bash', 'old', '', 'run-command', '', 30, ${at}, ${at}, ${at}
      from ${machines};
    insert into history_output (history_id, chunk, stream, text)
      select id, chunk, 'stdout', hex(zeroblob(200)) from agent_history
      join (select 1 as chunk union all select 2 union all select 3) where username = 'old';
    ${numbers(OLD_RUNS)}
      insert into alerts (cause, alert_type, state, agent_id, severity, message, created_at, modified, alert_time,
        resolved_on, acknowledged_by, resolved_by, flapping)
      select 'old:' || i, 'custom', 'resolved', agent_id, 'error', 'Old', ${at}, ${at}, ${at}, ${at}, '', '', 0
      from ${machines};
    insert into alert_log (alert_id, at, kind, by_user, text)
      select id, alert_time, kind, '', '' from alerts
      join (select 'opened' as kind union all select 'resolved') where cause like 'old:%';
    commit`)
}

function removedRecords(dataFolder: string): number {
  using db = new DatabaseSync(join(dataFolder, 'muster.db'), { readOnly: true })
  const left = db
    .prepare(
      `select (select count(*) from audit_log where username = 'old')
        + (select count(*) from agent_history where username = 'old')
        + (select count(*) from alerts where cause like 'old:%') as n`,
    )
    .get()
  return 2 * OLD_RUNS + OLD_ENTRIES - Number(left?.['n'])
}

async function writeAgainAndAgain(session: Session): Promise<number[]> {
  const timesMs: number[] = []
  const endMs = performance.now() + WRITE_SECONDS * 1000
  for (let splitter = 20; performance.now() < endMs; splitter = splitter === 20 ? 21 : 20) {
    const startedMs = performance.now()
    await session.call(savePreferences, { body: { client_tree_splitter: splitter } })
    timesMs.push(performance.now() - startedMs)
    await wait(5)
  }
  return timesMs
}

/** Results come at this rate while something is done; until the last one is stored. */
async function reportWhile(
  { fleet }: Stage,
  resultsPerSecond: number,
  work: () => Promise<void>,
): Promise<{ results: number; seconds: number }> {
  const order = { kind: 'check-rate', resultsPerReport: RESULTS_PER_REPORT } as const
  const before = await fleet.ask({ kind: 'look' })
  const startedMs = performance.now()
  await fleet.ask({ ...order, resultsPerSecond })
  await work()
  await fleet.ask({ ...order, resultsPerSecond: 0 })
  await fleet.ask({ kind: 'await-acknowledged', timeoutMs: 60_000 })
  const seconds = (performance.now() - startedMs) / 1000
  const after = await fleet.ask({ kind: 'look' })
  if (after.counts.unreadable > 0) throw new Error(`${after.counts.unreadable} reports were refused`)
  return { results: after.counts.checkResults - before.counts.checkResults, seconds }
}

async function openGraphs(stage: Stage, agentIds: string[]): Promise<number[]> {
  const ids = await Promise.all(agentIds.map((agentId) => findCheckIds(stage, agentId)))
  const checkIds = ids.flat()
  using http = openHttp(stage.session)
  const to = Math.floor(Date.now() / 1000)
  const timesMs: number[] = []
  const calls: Promise<void>[] = []
  for (let count = 0; count < GRAPH_SECONDS * GRAPHS_PER_SECOND; count++) {
    const id = checkIds[(count * (CHECKS_EACH + 1)) % checkIds.length]
    const path = `/checks/${id}/samples/?from=${to - 30 * DAY_SECONDS}&to=${to}`
    const startedMs = performance.now()
    calls.push(http.fetchBytes(path).then(() => void timesMs.push(performance.now() - startedMs)))
    await wait(1000 / GRAPHS_PER_SECOND)
  }
  await Promise.all(calls)
  return timesMs
}
