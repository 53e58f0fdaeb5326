import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { makeFacts } from '@muster/fake-agent/facts'
import { addClient } from '../support/seed.ts'
import { signIn } from '../support/sign-in.ts'
import { startServer } from '../support/start-server.ts'
import type { Stage } from './stage.ts'

const MACHINES_PER_CLIENT = 500
const SEED = 1
const MINUTE_MS = 60_000
/** One of so many machines. */
const FAILING = 20
const OVERDUE = 33
const FILLING = 50
const RESOLVED_ALERTS = 100_000
const ALERTS_REACH_DAYS = 30
const SERVICES = ['ssh', 'spooler', 'backup', 'postgresql', 'nginx', 'docker', 'W32Time', 'BITS']

/**
 * A server with machines that are written into its database: for screens that read, and never ask a machine. Each has a
 * check; some fail, are overdue, or have a disk that fills up. A month of resolved alerts lies behind.
 */
export async function seedFleet(
  machines: number,
): Promise<Pick<Stage, 'server' | 'session'> & AsyncDisposable> {
  await using stack = new AsyncDisposableStack()
  const server = stack.use(await startServer({ env: { MUSTER_LOG_LEVEL: 'warn' } }))
  const first = await signIn(server.url, server.admin)
  const sites: number[] = []
  for (let number = 1; number <= Math.ceil(machines / MACHINES_PER_CLIENT); number++) {
    const client = await addClient(first, `Client ${String(number).padStart(3, '0')}`)
    sites.push(...client.sites.map(({ id }) => id))
  }
  await server.stop()
  writeRows(server.dataFolder, machines, sites)
  await server.start()
  const session = await signIn(server.url, server.admin)
  const resources = stack.move()
  return { server, session, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

function writeRows(dataFolder: string, machines: number, sites: readonly number[]): void {
  using db = new DatabaseSync(join(dataFolder, 'muster.db'))
  const insert = (table: string, row: Record<string, string | number | null>) =>
    Number(
      db
        .prepare(
          `insert into ${table} (${Object.keys(row).join(', ')})
            values (${Object.keys(row)
              .map(() => '?')
              .join(', ')})`,
        )
        .run(...Object.values(row)).lastInsertRowid,
    )
  const nowMs = Date.now()
  const minutesAgo = (minutes: number) => new Date(nowMs - minutes * MINUTE_MS).toISOString()
  const now = minutesAgo(0)
  const written = { created_at: now, modified: now }
  const noUser = { acknowledged_by: '', resolved_by: '', flapping: 0 }
  const ids: string[] = []
  db.exec('begin')
  for (let index = 0; index < machines; index++) {
    const facts = makeFacts(SEED, index, nowMs)
    const agent_id = `seeded${String(index).padStart(34, '0')}`
    ids.push(agent_id)
    const isOverdue = index % OVERDUE === 0
    const agent = insert('agents', {
      agent_id,
      site_id: sites[index % sites.length] ?? 0,
      public_key: `key ${index}`,
      machine_key: `machine ${index}`,
      monitoring_type: index % 5 === 0 ? 'server' : 'workstation',
      hostname: facts.hostname,
      plat: facts.platform,
      arch: facts.arch,
      version: facts.agent_version,
      connected: isOverdue ? 0 : 1,
      last_seen: isOverdue ? minutesAgo(60 + index) : now,
      overdue_time: 30,
      ...written,
    })
    insert('agent_facts', { agent, facts: JSON.stringify(facts) })
    const service = SERVICES[index % SERVICES.length] ?? ''
    const check_id = insert('checks', {
      agent_id,
      check_type: 'service',
      settings: JSON.stringify({ svc_name: service, svc_display_name: '' }),
      fails_b4_alert: 1,
      run_interval: 0,
      revision: 'seeded',
      modified_by: 'admin',
      ...written,
    })
    const isFailing = index % FAILING === 0
    insert('check_results', {
      check_id,
      status: isFailing ? 'failing' : 'passing',
      alert_severity: isFailing ? 'error' : null,
      more_info: '',
      last_run: now,
      ran_at: Math.floor(nowMs / 1000),
      fail_count: isFailing ? 1 : 0,
      failing_since: isFailing ? now : null,
      measured: '{}',
    })
    if (isFailing)
      insert('alerts', {
        cause: `check:${check_id}`,
        open_cause: `check:${check_id}`,
        alert_type: 'check',
        state: 'open',
        severity: 'error',
        message: `Service ${service}: stopped`,
        agent_id,
        check_id,
        alert_time: minutesAgo(index),
        ...written,
        ...noUser,
      })
    const [disk] = facts.disks
    if (index % FILLING === 0 && disk !== undefined)
      insert('disk_forecasts', {
        agent,
        mount: disk.mount,
        full_at: minutesAgo(-1440 * (1 + (index % 40))),
        points: JSON.stringify(
          Array.from({ length: 8 }, (_, day) => [Math.floor(nowMs / 1000) - (7 - day) * 86_400, 80 + day]),
        ),
      })
  }
  for (let number = 0; number < RESOLVED_ALERTS; number++) {
    const openedAgo = 10 + (number * ALERTS_REACH_DAYS * 1440) / RESOLVED_ALERTS
    insert('alerts', {
      cause: `custom:${number}`,
      alert_type: 'custom',
      state: 'resolved',
      severity: 'warning',
      message: `Backup ${number % 40} was late`,
      agent_id: ids[number % ids.length] ?? null,
      alert_time: minutesAgo(openedAgo),
      resolved_on: minutesAgo(openedAgo - 10),
      ...written,
      ...noUser,
    })
  }
  db.exec('commit')
}
