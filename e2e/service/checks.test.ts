import { createServer } from 'node:net'
import { listAudit } from '@muster/contract/api/audit'
import { createInstaller, getAgent, listAgents } from '@muster/contract/api/agents'
import { type Check, createCheck, getCheck, runChecks } from '@muster/contract/api/checks'
import { getSessionChanges, listRemoteSessions } from '@muster/contract/api/remote'
import { controlService } from '@muster/contract/api/services'
import { changeSystemTask, listSystemTasks } from '@muster/contract/api/scheduler'
import type { Input } from '@muster/contract/endpoint'
import { chromium } from '@playwright/test'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { findTestChromium } from '../../tools/system-programs.ts'
import { buildPrograms } from '../support/build.ts'
import { addClient } from '../support/seed.ts'
import { type Session, signIn, storageStateOf } from '../support/sign-in.ts'
import { startServer } from '../support/start-server.ts'
import { startSystemdMachine, type OwnMachine } from '../support/systemd-machine.ts'
import { TerminalWindow } from '../load/terminal-window.ts'
import { LONG_PATIENCE_MS } from '../../tools/patience.ts'

type Settings = Input<typeof createCheck>['body']['settings']

const resources = new AsyncDisposableStack()
let machine: OwnMachine
let admin: Session
let agentId: string

// A machine as administrators have it: systemd, its journal, and the agent as a service that the line installed.
beforeAll(async () => {
  buildPrograms()
  const server = resources.use(await startServer())
  machine = resources.use(await startSystemdMachine())
  expect(await machine.run('systemctl start systemd-journald.service')).toEqual({ code: 0, output: '' })
  admin = await signIn(server.url, server.admin)
  const { id, sites } = await addClient(admin, 'Acme')
  const { cmd } = await admin.call(createInstaller, {
    body: { client: id, site: sites[0]?.id ?? 0, agenttype: 'server', plat: 'linux' },
  })
  expect((await machine.run(cmd)).code).toBe(0)
  agentId = await vi.waitFor(
    async () => {
      const [agent] = await admin.call(listAgents, { query: {} })
      expect(agent).toMatchObject({ connected: true })
      return agent?.agent_id ?? ''
    },
    { interval: 100 },
  )
})

afterAll(() => resources.disposeAsync())

test('service check: running, stopped, restarted if stopped, start pending, missing', async () => {
  await addUnit('muster-sleeper', 'ExecStart=/bin/sleep infinity')
  await machine.run('systemctl start muster-sleeper')
  const service = { check_type: 'service', svc_name: 'muster-sleeper', alert_severity: 'error' } as const
  const watching = await addCheck(service)
  expect(await readResult(watching)).toMatchObject({ status: 'passing', more_info: 'muster-sleeper runs' })

  await machine.run('systemctl stop muster-sleeper')
  expect(await runAgain(watching)).toMatchObject({
    status: 'failing',
    alert_severity: 'error',
    more_info: 'muster-sleeper is stopped',
  })

  const keeping = await addCheck({ ...service, restart_if_stopped: true })
  expect(await readResult(keeping)).toMatchObject({
    status: 'passing',
    more_info: 'muster-sleeper runs, after a restart',
  })
  expect((await machine.run('systemctl is-active muster-sleeper')).output).toBe('active\n')
  expect(await runAgain(watching)).toMatchObject({ status: 'passing' })

  await addUnit('muster-starting', 'Type=notify\nExecStart=/bin/sleep infinity')
  await machine.run('systemctl start --no-block muster-starting')
  const starting = { ...service, svc_name: 'muster-starting' }
  expect(await readResult(await addCheck(starting))).toMatchObject({
    status: 'failing',
    more_info: 'muster-starting is starting',
  })
  const pending = await addCheck({
    ...starting,
    svc_name: 'muster-starting.service',
    pass_if_start_pending: true,
  })
  expect(await readResult(pending)).toMatchObject({ status: 'passing' })

  const missing = await addCheck({ ...service, svc_name: 'no-such-service' })
  expect(await readResult(missing)).toMatchObject({
    status: 'failing',
    more_info: 'Service no-such-service does not exist.',
  })
})

test('journal check: filters by unit, priority and message', async () => {
  const words = `printf '<3>The disk failed\\n<6>The disk is fine\\n<4>The fan is slow\\n'`
  await addUnit('muster-talker', `Type=oneshot\nExecStart=/bin/sh -c "${words}"`)
  await machine.run('systemctl start muster-talker; journalctl --sync')
  const journal = { check_type: 'journal', name: 'Talker', unit: 'muster-talker.service' } as const
  const failed = await readResult(await addCheck({ ...journal, priority: 'err' }))
  expect(failed).toMatchObject({ status: 'failing', alert_severity: 'warning' })
  expect(failed.more_info).toBe('1 matching entry in the last 1 h, the newest: The disk failed')
  expect(failed.stdout).toMatch(/ sh {2}.*The disk failed$/)
  const results = await Promise.all(
    [
      { priority: 'warning' } as const,
      { priority: 'info', event_message: 'the DISK' } as const,
      { priority: 'err', event_message: 'fan' } as const,
      { priority: 'err', unit: 'another.service' } as const,
      { priority: 'err', event_message: 'backup is done', fail_when: 'not_contains' } as const,
    ].map(async (more) => readResult(await addCheck({ ...journal, name: JSON.stringify(more), ...more }))),
  )
  expect(results.map(({ status, more_info }) => [status, more_info.split(' in the last')[0]])).toEqual([
    ['failing', '2 matching entries'],
    ['failing', '2 matching entries'],
    ['passing', 'No matching entries'],
    ['passing', 'No matching entries'],
    ['failing', 'No matching entries'],
  ])
})

test('session changes list what changed in services, /etc, users and ports', async () => {
  await addUnit('muster-web', 'ExecStart=/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target')
  await addUnit('muster-door', 'ExecStart=/bin/sleep infinity')
  const port = await findFreePort()
  const socket = `[Unit]\\nDefaultDependencies=no\\n[Socket]\\nListenStream=127.0.0.1:${port}\\n`
  await machine.run(`printf '${socket}' > /etc/systemd/system/muster-door.socket; systemctl daemon-reload`)
  await machine.run('systemctl start muster-web')
  {
    using window = await TerminalWindow.open(admin, agentId)
    await waitForSnapshot()
    const line = [
      'systemctl stop muster-web',
      'systemctl -q enable muster-web',
      'systemctl start muster-door.socket',
      'echo changed > /etc/muster-proof.conf',
      'useradd --no-create-home eve',
      'echo all "$((1 + 1))" done',
    ].join('; ')
    window.type(`stty -echo; ${line}\r`)
    await window.until('all 2 done')
  }
  const parts = await vi.waitFor(
    async () => {
      const [session] = await admin.call(listRemoteSessions, { params: { agent_id: agentId } })
      return (await admin.call(getSessionChanges, { params: { id: session?.id ?? '' } })).parts
    },
    { interval: 100 },
  )
  expect(parts.services).toMatchObject({
    state: 'collected',
    changed: expect.arrayContaining([
      {
        name: 'muster-web.service',
        from: 'running, starts manually',
        to: 'stopped, starts automatically',
      },
    ]),
  })
  expect(parts.files).toMatchObject({
    added: expect.arrayContaining([
      { name: '/etc/muster-proof.conf', state: expect.stringContaining('8 bytes') },
    ]),
    changed: expect.arrayContaining([expect.objectContaining({ name: '/etc/passwd' })]),
  })
  expect(parts.users).toMatchObject({ added: [{ name: 'eve', state: expect.stringContaining('/home/eve') }] })
  expect(parts.ports).toMatchObject({
    added: expect.arrayContaining([{ name: `tcp 127.0.0.1:${port}`, state: 'systemd' }]),
  })
})

test('a name reaches one service, and the agent and the end of the system are no services', async () => {
  await addUnit('muster-named', 'ExecStart=/bin/sleep infinity\n[Install]\nAlias=muster-called.service')
  await addUnit('muster-other', 'ExecStart=/bin/sleep infinity')
  await machine.run('systemctl enable muster-named; systemctl start muster-named muster-other')
  await machine.run(
    'ln -s muster-agent.service /etc/systemd/system/muster-guard.service; systemctl daemon-reload',
  )
  const stop = async (name: string) => {
    const params = { agent_id: agentId, name }
    return admin.call(controlService, { params, body: { sv_action: 'stop' } })
  }
  const own = "This is the agent's own service, which cannot be changed here."
  for (const name of ['muster-agent', 'muster-agent.service', 'muster-guard'])
    await expect(stop(name)).rejects.toThrow(own)
  await expect(stop('reboot.target')).rejects.toThrow('reboot.target is no service of systemd.')
  await expect(stop('muster-*')).rejects.toThrow('Enter one name')
  expect(await stop('muster-called')).toMatchObject({ name: 'muster-named.service', status: 'stopped' })
  const states = 'systemctl is-active muster-named muster-other muster-agent'
  expect((await machine.run(states)).output).toBe('inactive\nactive\nactive\n')
  const link = { name: '/tmp/evil.timer', action: 'enable' } as const
  const enabled = admin.call(changeSystemTask, { params: { agent_id: agentId }, body: link })
  await expect(enabled).rejects.toThrow('Enter one name')
  const { audit_logs } = await admin.call(listAudit, { body: { objectFilter: ['service'] } })
  expect(audit_logs[0]?.message).toBe('Stopped the service "muster-named.service"')
})

/** The machine has the ports of the one that the test runs on. */
async function findFreePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('a port has a number')
  return address.port
}

/** Until the agent has stored the state of the machine at the start of the session. */
async function waitForSnapshot(): Promise<void> {
  const kept = 'ls /var/lib/muster-agent/receipts 2>/dev/null | grep -vc "new$"'
  await vi.waitFor(async () => expect((await machine.run(kept)).output).toBe('1\n'))
}

test('the console restarts a service, and the journal records it', async () => {
  await addUnit('muster-served', 'ExecStart=/bin/sh -c "echo begun as $$$$; exec sleep infinity"')
  await machine.run('systemctl start muster-served')
  const pidOf = async () =>
    (await machine.run('systemctl show --property MainPID --value muster-served')).output
  const before = await pidOf()
  await using browser = await chromium.launch({
    executablePath: findTestChromium() ?? 'chromium',
    args: ['--no-sandbox'],
  })
  const page = await browser.newPage({ baseURL: admin.url, storageState: storageStateOf(admin) })
  await page.goto(`/remotebackground/${agentId}?tool=services`)
  await page.getByRole('textbox', { name: 'Search services' }).fill('muster-served')
  const row = page
    .getByRole('grid', { name: 'Services' })
    .getByRole('row')
    .filter({ hasText: /muster-served.*running/s })
  await row.click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Restart' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Restart' }).click()
  await page.getByText('muster-served is running.').waitFor()
  const after = await pidOf()
  expect(Number(after)).toBeGreaterThan(0)
  expect(after).not.toBe(before)

  await machine.run('journalctl --sync')
  await page.getByRole('tab', { name: 'Logs' }).click()
  await page.getByRole('textbox', { name: 'Unit' }).fill('muster-served.service')
  await page.getByRole('button', { name: 'Search' }).click()
  const begun = page.getByRole('grid', { name: 'Log' }).getByText(`begun as ${after.trim()}`)
  await begun.waitFor()
  // The audit log knows who it was.
  const { audit_logs } = await admin.call(listAudit, { body: { objectFilter: ['service'] } })
  expect(audit_logs[0]).toMatchObject({
    username: 'admin',
    message: expect.stringContaining('muster-served'),
  })
})

test('timers of systemd are listed, run, disabled and enabled', async () => {
  const ran = '/run/muster-nightly'
  await addUnit('muster-nightly', `Type=oneshot\nUser=root\nExecStart=/bin/sh -c "echo ran >> ${ran}"`)
  const timer =
    '[Unit]\nDescription=Nightly\n[Timer]\nOnCalendar=*-*-* 03:00:00\n[Install]\nWantedBy=multi-user.target\n'
  const bytes = Buffer.from(timer).toString('base64')
  const file = '/etc/systemd/system/muster-nightly.timer'
  const started = `echo ${bytes} | base64 -d > ${file} && systemctl daemon-reload && systemctl enable --now --quiet muster-nightly.timer`
  expect(await machine.run(started)).toEqual({ code: 0, output: '' })
  const params = { agent_id: agentId }
  const name = 'muster-nightly.timer'
  const find = async () => (await admin.call(listSystemTasks, { params })).find((task) => task.name === name)
  expect(await find()).toMatchObject({
    description: 'Nightly',
    state: 'ready',
    can_change: true,
    schedule: '*-*-* 03:00:00',
    command: 'muster-nightly.service',
    username: 'root',
    last_run: null,
    next_run: expect.stringMatching(/T\d\d:00:00/),
  })
  await admin.call(changeSystemTask, { params, body: { name, action: 'run' } })
  await vi.waitFor(async () => expect((await machine.run(`cat ${ran}`)).output).toBe('ran\n'))
  expect(await admin.call(changeSystemTask, { params, body: { name, action: 'disable' } })).toMatchObject({
    state: 'disabled',
    next_run: null,
  })
  expect(await admin.call(changeSystemTask, { params, body: { name, action: 'enable' } })).toMatchObject({
    state: 'ready',
  })
})

test('the machine reports each kind of protection, read or with a reason', async () => {
  const { facts } = await vi.waitFor(
    async () => {
      const agent = await admin.call(getAgent, { params: { agent_id: agentId } })
      expect(agent.facts?.security).toBeDefined()
      return agent
    },
    { timeout: LONG_PATIENCE_MS, interval: 100 },
  )
  const security = facts?.security ?? []
  expect(new Set(security.map(({ subject }) => subject))).toEqual(
    new Set(['firewall', 'disk_encryption', 'tpm', 'access_control']),
  )
  for (const { state, detail } of security) if (state === 'unknown') expect(detail).toMatch(/\.$|:/)
})

async function addUnit(name: string, body: string): Promise<void> {
  const text = `[Unit]\nDefaultDependencies=no\n[Service]\n${body}\n`
  const file = `/etc/systemd/system/${name}.service`
  const bytes = Buffer.from(text).toString('base64')
  const made = await machine.run(`echo ${bytes} | base64 -d > ${file} && systemctl daemon-reload`)
  expect(made).toEqual({ code: 0, output: '' })
}

async function addCheck(settings: Settings): Promise<Check> {
  // A check of a machine, not of a policy.
  return (await admin.call(createCheck, { body: { agent: agentId, settings } })) as Check
}

/** The state of the check after its next run. */
async function readResult({ id }: Pick<Check, 'id'>, after = ''): Promise<Check['check_result']> {
  return vi.waitFor(
    async () => {
      const { check_result } = await admin.call(getCheck, { params: { id } })
      expect((check_result.last_run ?? '') > after).toBe(true)
      return check_result
    },
    { interval: 100 },
  )
}

async function runAgain({ id }: Check): Promise<Check['check_result']> {
  const before = await readResult({ id })
  await admin.call(runChecks, { params: { agent_id: agentId }, body: { ids: [id] } })
  return readResult({ id }, before.last_run ?? '')
}
