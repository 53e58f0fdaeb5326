import {
  createPolicy,
  getEffectivePolicy,
  planPolicy,
  type PolicyTarget,
} from '@muster/contract/api/policies'
import { listAgentChecks } from '@muster/contract/api/checks'
import { NO_CONTENT, type PolicyContent } from '@muster/contract/policies/policy-content'
import type { Figure } from './budgets.ts'
import { median, percentile } from './figures.ts'
import { openHttp } from './http-client.ts'
import { cpuSeconds } from './process-figures.ts'
import { settle, type Stage } from './stage.ts'

const POLICIES = 200
const SEARCHES = 30
const ASKED = 200
const LOOK_MS = 10

/** 200 policies at clients, sites and searches; then one more for all machines: planned, saved, in place everywhere. */
export async function measurePolicies(stage: Stage): Promise<Figure[]> {
  const { server, session, started } = stage
  const policies = await addPolicies(stage)
  await settle(() => cpuSeconds(server.pid))
  const policy = {
    name: 'Everywhere',
    desc: '',
    active: true,
    enforced: false,
    content: contentOf('192.0.2.250'),
    targets: [{ level: 'default' as const, monitoring_type: null }],
    excluded_clients: [],
    excluded_sites: [],
    excluded_agents: [],
  }
  const plannedMs = await timeOf(() => session.call(planPolicy, { body: { policy } }))
  const machineMs: number[] = []
  for (const agent_id of started.agentIds.slice(0, ASKED)) {
    machineMs.push(await timeOf(() => session.call(getEffectivePolicy, { params: { agent_id } })))
  }
  const waits = watchWaits(stage)
  const savedMs = await timeOf(() => session.call(createPolicy, { body: policy }))
  const sweptMs = await timeOf(() => awaitCheck(stage, 'Everywhere'))
  const waitedMs = await waits.stop()
  const count = started.agentIds.length
  return [
    { budget: 'policyPlan', value: plannedMs / 1000, remark: `${count} machines, ${policies} policies` },
    {
      budget: 'policyMachine',
      value: median(machineMs),
      remark: `p95 ${percentile(machineMs, 95).toFixed(1)} ms, by its endpoint`,
    },
    {
      budget: 'policySweep',
      value: (savedMs + sweptMs) / 1000,
      remark: `saved in ${savedMs.toFixed(0)} ms; a check on ${count} connected machines`,
    },
    {
      budget: 'policyPause',
      value: Math.max(...waitedMs),
      remark: `${waitedMs.length} calls, p99 ${percentile(waitedMs, 99).toFixed(1)} ms`,
    },
  ]
}

async function addPolicies({ session, clients }: Stage): Promise<number> {
  const places = clients.flatMap(({ id, sites }): PolicyTarget[] => [
    { level: 'client', id, monitoring_type: null },
    ...sites.map((site) => ({ level: 'site' as const, id: site.id, monitoring_type: null })),
  ])
  for (let number = 0; number < POLICIES; number++) {
    const place = places[number % places.length]
    const target: PolicyTarget | undefined =
      number < SEARCHES ? { level: 'search', search: `machine ${number}` } : place
    if (target === undefined) throw new Error('the stage has no clients')
    const content = contentOf(`192.0.2.${number}`)
    const body = { name: `Policy ${number}`, active: true, content, targets: [target] }
    await session.call(createPolicy, { body })
  }
  return POLICIES
}

function contentOf(ip: string): PolicyContent {
  const settings = { check_type: 'ping' as const, name: ip, ip, alert_severity: 'warning' as const }
  return { ...NO_CONTENT, checks: [{ settings, fails_b4_alert: 1, run_interval: 0 }] }
}

/** Until the machine that comes last has the check of the policy. */
async function awaitCheck({ session, started }: Stage, policy: string): Promise<void> {
  const params = { agent_id: started.agentIds.at(-1) ?? '' }
  for (;;) {
    const checks = await session.call(listAgentChecks, { params, query: {} })
    if (checks.some(({ policy_name }) => policy_name === policy)) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** How long a call that does nothing waits, one after the other. */
function watchWaits({ session }: Stage): { stop: () => Promise<number[]> } {
  const timesMs: number[] = []
  let isOver = false
  const watching = (async () => {
    using http = openHttp(session)
    while (!isOver) {
      timesMs.push(await timeOf(() => http.fetchBytes('/health/')))
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    }
  })()
  const stop = async () => {
    isOver = true
    await watching
    return timesMs
  }
  return { stop }
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now()
  await work()
  return performance.now() - startedMs
}
