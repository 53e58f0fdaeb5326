import { setMaintenance } from '@muster/contract/api/agents'
import { createAlertChannel, deleteAlertChannel } from '@muster/contract/api/alert-channels'
import { listAlerts } from '@muster/contract/api/alerts'
import { createPolicy, deletePolicy } from '@muster/contract/api/policies'
import { startHookReceiver } from '../support/receivers.ts'
import type { Figure } from './budgets.ts'
import { median, percentile } from './figures.ts'
import { cpuSeconds } from './process-figures.ts'
import { settle, type Stage } from './stage.ts'

const ALERTS_SENT = 100
const WAIT_MS = 120_000
const STEADY_MS = 10_000
const POLL_MS = 500
/** Longer than a sweep over all of them rests. */
const SWEPT_MS = 15_000

/** A check of the processor on every machine, which all of them pass at first. */
export async function measureAlerts(stage: Stage): Promise<Figure[]> {
  const { session, fleet, started, server } = stage
  const policy = await session.call(createPolicy, {
    body: {
      name: 'Bench',
      active: true,
      content: {
        checks: [
          {
            settings: { check_type: 'cpuload', warning_threshold: 0, error_threshold: 90 },
            fails_b4_alert: 1,
            run_interval: 3600,
          },
        ],
        agent_settings: {
          check_interval: null,
          offline_time: null,
          overdue_time: null,
          overdue_dashboard_alert: null,
        },
      },
      targets: [{ level: 'default', monitoring_type: null }],
    },
  })
  await fleet.ask({ kind: 'await-checks', count: started.agentIds.length, timeoutMs: WAIT_MS })
  await fleet.ask({ kind: 'cpu', percent: 10 })
  await fleet.ask({ kind: 'await-acknowledged', timeoutMs: WAIT_MS })
  await settle(() => cpuSeconds(server.pid))
  const figures = [await measureLatency(stage), await measureSweeps(stage)]
  await fleet.ask({ kind: 'cpu', percent: 10 })
  await waitForAlerts(stage, 0)
  await session.call(deletePolicy, { params: { id: policy.id }, query: {} })
  await settle(() => cpuSeconds(server.pid))
  return figures
}

/** One machine after the other. */
async function measureLatency({ session, fleet, started }: Stage): Promise<Figure> {
  await using hook = await startHookReceiver()
  const { id } = await session.call(createAlertChannel, {
    body: { name: 'Bench', settings: { kind: 'webhook', url: hook.url, secret: 'bench' }, rules: {} },
  })
  const timesMs: number[] = []
  for (let turn = 0; turn < ALERTS_SENT; turn += 1) {
    const agentId = started.agentIds[turn * 7] ?? ''
    const notified = hook.nextPost()
    const startedMs = performance.now()
    await fleet.ask({ kind: 'cpu', agentId, percent: 95 })
    timesMs.push((await notified) - startedMs)
    const over = hook.nextPost()
    await fleet.ask({ kind: 'cpu', agentId, percent: 10 })
    await over
  }
  await session.call(deleteAlertChannel, { params: { id } })
  const remark = `p95 ${percentile(timesMs, 95).toFixed(0)} ms, ${ALERTS_SENT} alerts one after the other`
  return { budget: 'alertLatency', value: median(timesMs), remark }
}

/** Every machine has an alert; all go into maintenance mode, stay there for a while, and come back. */
async function measureSweeps(stage: Stage): Promise<Figure> {
  const { session, fleet, clients, started, server, pauses } = stage
  await fleet.ask({ kind: 'cpu', percent: 95 })
  await waitForAlerts(stage, started.agentIds.length)
  await settle(() => cpuSeconds(server.pid))
  const steadySinceMs = Date.now()
  await new Promise((resolve) => setTimeout(resolve, STEADY_MS))
  const steadyMs = Math.max(0, ...pauses.since(steadySinceMs))
  const all: number[] = []
  for (const action of [true, false]) {
    for (const { id } of clients) await session.call(setMaintenance, { body: { type: 'Client', id, action } })
    const sinceMs = Date.now()
    // Requests no list meanwhile, whose cost would count as well.
    await new Promise((resolve) => setTimeout(resolve, SWEPT_MS))
    all.push(...pauses.since(sinceMs))
  }
  const remark = `${started.agentIds.length} open alerts; ${steadyMs.toFixed(0)} ms while nothing happens; p95 of the longer pauses ${all.length === 0 ? 0 : percentile(all, 95).toFixed(0)} ms`
  return { budget: 'alertSweeps', value: Math.max(0, ...all), remark }
}

async function waitForAlerts({ session }: Stage, count: number): Promise<void> {
  const deadlineMs = Date.now() + WAIT_MS
  for (;;) {
    const { alerts_count } = await session.call(listAlerts, {
      body: { page: 1, page_size: 1, heldFilter: true },
    })
    if (alerts_count === count) return
    if (Date.now() > deadlineMs) throw new Error(`${alerts_count} alerts instead of ${count}`)
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}
