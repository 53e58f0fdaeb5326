import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { listPatches, getPatchPolicy, scanPatches } from '@muster/contract/api/patches'
import { listAgentPendingActions } from '@muster/contract/api/pending-actions'
import { createPolicy } from '@muster/contract/api/policies'
import { createEnrolToken } from '@muster/server/features/installers/enrol-machine.ts'
import { patchesJobs } from '@muster/server/features/patches/jobs.ts'
import { createTestServer } from '@muster/server/testing/test-server.ts'
import { expect, test, vi } from 'vitest'
import { startAgent } from '../agent.ts'
import { readPatchesInChildProcess } from '../collectors/child-reports.ts'
import { MeasureError } from '../errors.ts'
import { requireIdentity } from '../identity/identity.ts'
import { enrolMachine } from '../link/enrol-machine.ts'
import { os } from '../os/index.ts'
import { makeLinuxSessionTools } from '../os/linux/session-tools.ts'
import { givenDisplay } from '../remote/desktop/test-desktop.ts'
import { findProgram } from '../run/find-program.ts'
import { givenFolder, givenLog } from '../testing/given.ts'
import { givenApt } from '../testing/given-apt.ts'
import { givenPrograms } from '../testing/given-programs.ts'

const AGENT = [process.execPath, resolve(import.meta.dirname, '../main.ts')]

/** A signed-in user who postpones what may be postponed, and a machine that must not restart. */
function givenUser() {
  const note = 'printf "%s|" "$(basename "$0")" "$@" >>"$here/calls"; echo >>"$here/calls"'
  const folder = givenPrograms({ shutdown: note, wall: note, zenity: note })
  if (findProgram('shutdown') !== join(folder, 'shutdown')) throw new Error('the real program would be run')
  const root = `${givenFolder()}/`
  mkdirSync(join(root, 'run/systemd/sessions'), { recursive: true })
  writeFileSync(
    join(root, 'run/systemd/sessions/c7'),
    'USER=anna\nACTIVE=1\nSTATE=active\nTYPE=tty\nCLASS=user\n',
  )
  const tools = makeLinuxSessionTools(root)
  return {
    os: { ...os, loadSessionTools: async () => tools },
    calls: () => (existsSync(join(folder, 'calls')) ? readFileSync(join(folder, 'calls'), 'utf8') : ''),
  }
}

/** An agent of this process with the real apt in a folder, on a real server. */
async function givenMachine() {
  const apt = givenApt([{ name: 'muster-hello', version: '1.0' }])
  apt.offer({ name: 'muster-hello', version: '2.0' })
  const user = givenUser()
  const server = await createTestServer()
  const { url } = await server.listen()
  const site = await server.given.site()
  const token = await createEnrolToken(server.ctx.db, {
    siteId: site.id,
    monitoringType: 'workstation',
    plat: null,
    uses: 1,
    expiresAt: new Date(Date.now() + 60_000).toISOString(),
    createdBy: 'test',
    now: new Date(),
  })
  const folder = givenFolder()
  const { log } = givenLog()
  await enrolMachine({ folder, serverUrl: url, token, caPem: null, os })
  const agent = await startAgent({
    folder,
    identity: requireIdentity(folder),
    os: user.os,
    log,
    readSlowFacts: async () => ({ make: 'Acme', model: 'T1000' }),
    readSoftware: async () => {
      throw new MeasureError('Nothing is listed here.')
    },
    readPatches: readPatchesInChildProcess(AGENT),
    firstPatchScanMs: 3_600_000,
    program: AGENT,
    uninstall: async () => {},
  })
  const { agent_id, id } = await vi.waitUntil(() =>
    server.ctx.db
      .selectFrom('agents')
      .select(['agent_id', 'id'])
      .where('connected', '=', 1)
      .executeTakeFirst(),
  )
  return {
    server,
    apt,
    calls: user.calls,
    id,
    params: { agent_id },
    [Symbol.asyncDispose]: async () => {
      await agent[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}

test('a policy approves and installs on a real apt, and its restart is postponed until the deadline', async () => {
  await givenDisplay('320x200')
  await using machine = await givenMachine()
  const { server, apt, id, params, calls } = machine
  const { ctx } = server
  const ada = server.as(await server.given.user({ superuser: true }))
  const tick = () =>
    patchesJobs(ctx, server.app.fleet)
      .find(({ name }) => name === 'patches.apply-policies')
      ?.run({}, new AbortController().signal)
  const last = async () => (await ada.call(getPatchPolicy, { params })).body.last
  await ada.call(scanPatches, { params })
  // Those that are installed are of the machine itself: its log of dpkg is not in the private root.
  const list = async () =>
    (await ada.call(listPatches, { params })).body.filter(({ installed }) => !installed)
  await expect.poll(list).toMatchObject([{ guid: 'muster-hello', action: 'inherit' }])
  const rule = { action: 'approve', after_days: 0 } as const
  const manual = { action: 'manual', after_days: 0 } as const
  const approval = { critical: rule, important: rule, moderate: rule, low: rule, security: rule, other: rule }
  const patches = {
    approval: { ...approval, security: manual, categories: [], ignore: [] },
    ring: null,
    schedule: { recurs: 'weekly' as const, weekdays: [0], month_days: [], time: '03:00', late_hours: 6 },
    scripts: null,
    reboot: {
      when: 'warn' as const,
      only_if_needed: false,
      message: 'Updates are installed.',
      delay_minutes: 15,
      postponements: 9,
      postpone_minutes: 240,
      deadline_hours: 1,
    },
  }
  await ada.call(createPolicy, {
    body: {
      name: 'Patches',
      active: true,
      content: { patches },
      targets: [{ level: 'default', monitoring_type: null }],
    },
  })
  await server.app.policies.run()
  await tick()
  expect(await list()).toMatchObject([{ action: 'approve', by_policy: true }])
  // The time of the schedule has come.
  const now = ctx.now().toISOString()
  await ctx.db
    .updateTable('machine_patch_policies')
    .set({ next_at: now, next_until: new Date(Date.parse(now) + 3_600_000).toISOString() })
    .where('agent', '=', id)
    .execute()
  await tick()
  await expect.poll(async () => (await tick(), await last())).toMatchObject({ step: 'reboot', patches: 1 })
  expect(apt.versionOf('muster-hello')).toBe('2.0')
  await expect.poll(list).toEqual([])
  server.clock.advance(130)
  await tick()
  expect(await last()).toMatchObject({
    state: 'succeeded',
    reason: 'A restart is planned, and the user is warned.',
  })
  const pending = async () => (await ada.call(listAgentPendingActions, { params, query: {} })).body
  await expect
    .poll(pending)
    .toMatchObject([{ action_type: 'schedreboot', details: { output: 'Postponed once by the user.' } }])
  const [action] = await pending()
  const minutes = (Date.parse(action?.due ?? '') - Date.parse(now)) / 60_000
  // One hour from the end of the installation, not four hours later.
  expect(Math.round(minutes / 10)).toBe(6)
  expect(calls()).toContain('Updates are installed.')
  expect(calls()).not.toContain('shutdown|')
})
