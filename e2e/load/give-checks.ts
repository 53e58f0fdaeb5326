import { createPolicy } from '@muster/contract/api/policies'
import { listAgentChecks } from '@muster/contract/api/checks'
import type { Input } from '@muster/contract/endpoint'
import type { Stage } from './stage.ts'

type PolicyChecks = NonNullable<NonNullable<Input<typeof createPolicy>['body']['content']>['checks']>

const PATHS = ['/', '/var', '/var/log/daily.log', 'C:', 'D:', String.raw`C:\Windows\Logs\backup.log`]
const EACH_PATH = PATHS.map((path) => ({
  settings: path.endsWith('log')
    ? ({ check_type: 'file', path } as const)
    : ({ check_type: 'diskspace', disk: path } as const),
}))

/** Those for Windows or for others are left out where they do not fit. */
const CHECKS: PolicyChecks = [
  { settings: { check_type: 'cpuload' } },
  { settings: { check_type: 'memory' } },
  ...EACH_PATH,
  // As an administrator would set it up: alerts at the third failure in a row.
  ...['sshd', 'cron'].map((process_name) => ({
    settings: { check_type: 'process', process_name } as const,
    fails_b4_alert: 3,
  })),
  ...['gateway', 'name server', 'backup'].map((name, index) => ({
    settings: { check_type: 'ping', name, ip: `192.0.2.${index + 1}` } as const,
    fails_b4_alert: 3,
  })),
]
export const CHECKS_EACH = CHECKS.length - EACH_PATH.length / 2

/** Ten checks for every machine, by one policy; until each machine knows them. */
export async function giveChecks({ session, started, fleet }: Stage): Promise<void> {
  const content = { checks: CHECKS.map((check) => ({ ...check, run_interval: 120 })) }
  const targets = [{ level: 'default' } as const]
  await session.call(createPolicy, { body: { name: 'Ten checks', active: true, content, targets } })
  const count = started.agentIds.length * CHECKS_EACH
  await fleet.ask({ kind: 'await-checks', count, timeoutMs: 120_000 })
}

export async function findCheckIds({ session }: Stage, agent_id: string): Promise<number[]> {
  const checks = await session.call(listAgentChecks, { params: { agent_id }, query: {} })
  return checks.map(({ id }) => id)
}
