import { editAgent, getAgent } from '@muster/contract/api/agents'
import { listAudit } from '@muster/contract/api/audit'
import { createMaintenanceWindow, endMaintenanceWindow } from '@muster/contract/api/maintenance'
import { listPatchFailures, setOwnPatchPolicy } from '@muster/contract/api/patches'
import {
  createPatchPolicy,
  createPolicy,
  deletePatchPolicy,
  editPolicy,
  getPolicy,
  listPolicies,
  resetPatchPolicies,
} from '@muster/contract/api/policies'
import type { OwnWinUpdateChange } from '@muster/contract/policies/win-update-policy'
import { describe, expect, test } from 'vitest'
import type { Database } from '../../../platform/database/database.ts'
import { testEngines } from '../../../platform/database/test-engines.ts'
import { documentOf } from '../../policies/test-policies.ts'
import { patchOf } from '../test-patches.ts'
import { ALL, approvalOf, DAILY, DAY, everywhere, patching, preparePatching } from './test-patch-policies.ts'

const openssl = patchOf('openssl', { severity: 'Critical', needs_reboot: true })

describe.each(testEngines)('on $engine', ({ open }) => {
  test('a policy approves by severity and age, and a decision of a user stays', async () => {
    await using database = await open<Database>()
    await using fleet = await preparePatching(database)
    const { pc, report, add, tick, list, decide, view, server, asAda, settle } = fleet
    await report(pc, [openssl, patchOf('tzdata'), patchOf('bash'), patchOf('vim')])
    await decide('bash', 'nothing')
    await decide('vim', 'ignore')
    const approval = approvalOf({
      critical: { action: 'approve', after_days: 0 },
      other: { action: 'approve', after_days: 7 },
    })
    const policy = await add({ name: 'Base', content: patching({ approval }), targets: everywhere })
    await tick()
    expect(await list()).toEqual([
      ['openssl', 'approve', true],
      ['tzdata', 'inherit', false],
      ['bash', 'nothing', false],
      ['vim', 'ignore', false],
    ])
    const { verdicts, sections } = await view()
    expect(verdicts).toMatchObject([
      { decision: 'approve', why: 'critical, at once' },
      { decision: 'wait', at: '2026-12-02T12:00:00.000Z', why: 'other, after 7 days' },
    ])
    expect(sections).toEqual([
      {
        section: 'approval',
        what: 'Approve critical at once, other after 7 days',
        policy: { id: policy.id, name: 'Base' },
      },
    ])
    server.clock.advance(7 * DAY)
    await tick()
    expect((await list())[1]).toEqual(['tzdata', 'approve', true])
    const ada = await asAda()
    const { audit_logs } = (await ada.call(listAudit, { body: {} })).body
    expect(audit_logs.filter(({ object_type }) => object_type === 'winupdate')).toMatchObject([
      { username: 'server', message: 'Approved the patch "tzdata" on "PC-12"' },
      { username: 'server', message: 'Approved the patch "openssl" on "PC-12"' },
      { username: 'ada', message: 'Ignored the patch "vim" of "PC-12"' },
      { username: 'ada' },
    ])
    await decide('openssl', 'approve')
    await ada.call(editPolicy, { params: { id: policy.id }, body: { content: patching({}) } })
    await settle()
    await tick()
    expect(await list()).toEqual([
      ['openssl', 'approve', false],
      ['tzdata', 'inherit', false],
      ['bash', 'nothing', false],
      ['vim', 'ignore', false],
    ])
  })

  test('approved patches are installed once at the time of the policy, by the clock of the machine', async () => {
    await using database = await open<Database>()
    await using fleet = await preparePatching(database)
    const { pc, srv, ctx, report, add, tick, runs, endRun, view, server, connect, asAda } = fleet
    await ctx.db
      .insertInto('agent_facts')
      .values({ agent: pc.id, facts: JSON.stringify({ time_zone: 'Asia/Tokyo' }) })
      .execute()
    for (const machine of [pc, srv]) await report(machine, [openssl, patchOf('tzdata')])
    await add({
      name: 'Nightly',
      content: patching({ approval: ALL, schedule: DAILY }),
      targets: everywhere,
    })
    await tick()
    expect(await view()).toMatchObject({
      next: { at: '2026-11-25T18:00:00.000Z', until: '2026-11-26T00:00:00.000Z' },
      time_zone: 'Asia/Tokyo',
    })
    expect((await view(srv)).next?.at).toBe('2026-11-26T03:00:00.000Z')
    await connect(pc)
    await tick()
    expect(await runs()).toEqual([])
    server.clock.freeze('2026-11-25T18:00:30.000Z')
    await Promise.all([tick(), tick()])
    await tick()
    expect(await runs()).toMatchObject([
      {
        type: 'patch_install',
        command: 'Install 2 approved patches by policy',
        args: '["openssl","tzdata"]',
        username: 'server',
      },
    ])
    expect(await view()).toMatchObject({
      next: { at: '2026-11-26T18:00:00.000Z' },
      last: { step: 'install', state: 'running', patches: 2 },
    })
    await endRun(pc, 'failed', 'dpkg is locked by unattended-upgr.')
    await tick()
    expect((await view()).last).toMatchObject({
      state: 'running',
      reason: 'dpkg is locked by unattended-upgr.',
    })
    expect(await runs()).toHaveLength(1)
    server.clock.advance(16 * 60)
    await tick()
    await endRun(pc, 'failed', 'dpkg is still locked.')
    server.clock.advance(60 * 60)
    await tick()
    await tick()
    expect(await runs()).toHaveLength(2)
    expect((await view()).last).toMatchObject({ state: 'failed', reason: 'dpkg is still locked.' })
    const { body: failures } = await (await asAda()).call(listPatchFailures, { query: {} })
    expect(failures).toMatchObject([{ kind: 'install', reason: 'dpkg is still locked.' }])
  })

  test('an offline machine gets its patches when it returns in time, and otherwise the reason is shown', async () => {
    await using database = await open<Database>()
    await using fleet = await preparePatching(database)
    const { pc, srv, report, add, tick, runs, endRun, view, server, connect, asAda } = fleet
    for (const machine of [pc, srv]) await report(machine, [openssl])
    await add({
      name: 'Nightly',
      content: patching({ approval: ALL, schedule: DAILY }),
      targets: everywhere,
    })
    await tick()
    server.clock.freeze('2026-11-26T03:00:00.000Z')
    await tick()
    expect([await runs(pc), await runs(srv)]).toEqual([[], []])
    server.clock.freeze('2026-11-26T08:59:00.000Z')
    await connect(pc)
    await tick()
    expect(await runs(pc)).toHaveLength(1)
    await endRun(pc, 'done')
    server.clock.freeze('2026-11-26T09:01:00.000Z')
    await connect(srv)
    await tick()
    expect(await runs(srv)).toEqual([])
    expect((await view(pc)).last).toMatchObject({ state: 'succeeded', reason: null, patches: 1 })
    const reason = 'SRV-1 was offline from 2026-11-26T03:00:00.000Z to 2026-11-26T09:00:00.000Z.'
    expect((await view(srv)).last).toMatchObject({ state: 'missed', reason })
    expect((await (await asAda()).call(listPatchFailures, { query: {} })).body).toMatchObject([
      { hostname: 'SRV-1', kind: 'policy', reason },
    ])
  })

  test('patches are installed in the maintenance windows of the machine', async () => {
    await using database = await open<Database>()
    await using fleet = await preparePatching(database)
    const { pc, srv, report, add, tick, runs, view, server, connect, root, asAda } = fleet
    for (const machine of [pc, srv]) await report(machine, [openssl])
    await add({
      name: 'In windows',
      content: patching({ approval: ALL, schedule: { ...DAILY, recurs: 'window' } }),
      targets: everywhere,
    })
    await tick()
    expect((await view()).next).toBeNull()
    const schedule = {
      starts: '2026-11-27T22:00',
      minutes: 120,
      time_zone: 'Europe/Zurich',
      recurs: 'once',
      until: null,
    } as const
    const targets = [{ type: 'agent' as const, id: pc.agent_id }]
    const window = { reason: '', targets, schedule }
    const { id } = (await root.call(createMaintenanceWindow, { body: window })).body
    await tick()
    expect((await view()).next).toEqual({ at: '2026-11-27T21:00:00.000Z', until: '2026-11-27T23:00:00.000Z' })
    expect((await view(srv)).next).toBeNull()
    server.clock.freeze('2026-11-27T21:10:00.000Z')
    await tick()
    await (await asAda()).call(endMaintenanceWindow, { params: { id } })
    await connect(pc)
    await tick()
    expect(await runs()).toEqual([])
    expect((await view()).last).toMatchObject({
      state: 'missed',
      reason: 'The maintenance window was over before the installation could start.',
    })
  })

  test('the second ring gets a patch after the first one has installed it', async () => {
    await using database = await open<Database>()
    await using fleet = await preparePatching(database)
    const { pc, srv, report, add, tick, endRun, list, view, server, connect } = fleet
    for (const machine of [pc, srv]) await report(machine, [openssl])
    await add({
      name: 'Base',
      content: patching({ approval: ALL, schedule: DAILY }),
      targets: everywhere,
    })
    await add({
      name: 'Careful',
      content: patching({ ring: { ring: 2, delay_days: 2, after_ring: true } }),
      targets: [{ level: 'agent', id: srv.agent_id }],
    })
    await connect(pc)
    await tick()
    expect([await list(pc), await list(srv)]).toEqual([
      [['openssl', 'approve', true]],
      [['openssl', 'inherit', false]],
    ])
    expect(await view(srv)).toMatchObject({
      ring: 2,
      verdicts: [{ decision: 'wait', at: null, why: 'waits for an installation in ring 1' }],
    })
    server.clock.freeze('2026-11-26T03:00:00.000Z')
    await tick()
    await endRun(pc, 'done')
    await tick()
    server.clock.advance(11 * 60)
    await tick()
    expect((await view(srv)).verdicts).toMatchObject([{ decision: 'wait', at: '2026-11-28T03:00:00.000Z' }])
    server.clock.freeze('2026-11-28T03:00:00.000Z')
    await tick()
    expect(await list(srv)).toEqual([['openssl', 'approve', true]])
  })
})

test('the plan of a policy shows what changes, and a nearer policy and the machine itself win by section', async () => {
  await using fleet = await preparePatching()
  const { pc, srv, add, plan, effective, view, root, settle } = fleet
  const base = await add({
    name: 'Base',
    content: patching({ approval: ALL, schedule: DAILY }),
    targets: everywhere,
  })
  const document = { ...documentOf(base), content: patching({ approval: ALL }) }
  expect((await plan(base.id, document)).lines).toEqual([
    {
      kind: 'patches',
      change: 'removed',
      what: 'Install every day at 03:00, or when it connects within 6 hours',
      agents_count: 2,
    },
  ])
  const late = { ...DAILY, time: '22:00' }
  await add({
    name: 'Late',
    content: patching({ schedule: late }),
    targets: [{ level: 'agent', id: srv.agent_id }],
  })
  const textOf = async (machine: typeof pc) =>
    (await view(machine)).sections.map(({ what, policy }) => [what.slice(0, 26), policy?.name])
  expect(await textOf(srv)).toEqual([
    ['Approve critical and other', 'Base'],
    ['Install every day at 22:00', 'Late'],
  ])
  const params = { agent_id: pc.agent_id }
  await root.call(setOwnPatchPolicy, { params, body: { schedule: { ...DAILY, time: '01:00' } } })
  expect(await textOf(pc)).toEqual([
    ['Approve critical and other', 'Base'],
    ['Install every day at 01:00', undefined],
  ])
  expect((await effective()).items).toMatchObject([
    { kind: 'patches', key: 'approval', source: { policy_name: 'Base' } },
    { kind: 'patches', key: 'schedule', source: { own: true }, overrode: [{ lost: 'own' }] },
  ])
  expect((await root.call(resetPatchPolicies, { body: {} })).body).toEqual({ machines: 1 })
  await settle()
  expect((await textOf(pc))[1]).toEqual(['Install every day at 03:00', 'Base'])
})

test('who may not install patches or restart machines cannot let a policy do it', async () => {
  await using fleet = await preparePatching()
  const { server, add, root, client } = fleet
  const reboot = {
    when: 'warn',
    only_if_needed: true,
    message: '',
    delay_minutes: 15,
    postponements: 4,
    postpone_minutes: 60,
    deadline_hours: 24,
  } as const
  let count = 0
  const call = async (
    permissions: ('can_manage_winupdates' | 'can_run_scripts' | 'can_reboot_agents')[],
    parts: object,
  ) => {
    const rights = ['can_manage_automation_policies', 'can_list_automation_policies', ...permissions] as const
    const user = server.as(await server.given.user({ permissions: [...rights], clients: [client.id] }))
    const { body } = await user.call(createPolicy, { body: { name: `P-${(count += 1)}` } })
    const saved = await user.call(editPolicy, { params: { id: body.id }, body: { content: patching(parts) } })
    return saved.status === 200 ? undefined : saved.error.detail
  }
  expect(await call([], { approval: ALL })).toContain('needs can_manage_winupdates')
  expect(await call(['can_manage_winupdates'], { approval: ALL })).toBeUndefined()
  expect(await call(['can_manage_winupdates'], { reboot })).toContain('needs can_reboot_agents')
  const script = await server.given.script({ name: 'Snapshot' })
  const scripts = { before: script.id, after: null, timeout: 60 }
  expect(await call(['can_manage_winupdates'], { scripts })).toContain('needs can_run_scripts')
  expect(await call(['can_manage_winupdates', 'can_run_scripts'], { scripts })).toBeUndefined()
  const policy = await add({ name: 'Base', content: patching({ scripts }) })
  expect((await root.call(getPolicy, { params: { id: policy.id } })).body.content.patches.scripts).toEqual(
    scripts,
  )
})

test('rules for patches under the names of other products', async () => {
  await using fleet = await preparePatching()
  const { add, root } = fleet
  const { id } = await add({ name: 'Base', targets: everywhere })
  const body = {
    policy: id,
    critical: 'approve' as const,
    run_time_hour: 4,
    run_time_days: [5, 6],
    reboot_after_install: 'required' as const,
  }
  const { body: saved } = await root.call(createPatchPolicy, { body })
  expect(saved).toMatchObject({ id, policy: id, critical: 'approve', low: 'ignore', run_time_days: [5, 6] })
  const read = async () => (await root.call(getPolicy, { params: { id } })).body.content.patches
  expect(await read()).toMatchObject({
    approval: { critical: { action: 'approve', after_days: 0 }, security: { action: 'ignore' } },
    schedule: { recurs: 'weekly', weekdays: [0, 6], time: '04:00' },
    reboot: { when: 'warn', only_if_needed: true },
    ring: null,
  })
  await root.call(deletePatchPolicy, { params: { id } })
  expect(await read()).toMatchObject({ approval: null, schedule: null, reboot: null })
})

test('agents and policies show their rules for patches under the names of other products', async () => {
  await using fleet = await preparePatching()
  const { server, pc, add, root } = fleet
  const detail = async (caller = root) => {
    const { body } = await caller.call(getAgent, { params: { agent_id: pc.agent_id } })
    return [body.winupdatepolicy, body.effective_patch_policy] as const
  }
  expect(await detail()).toMatchObject([
    [],
    { critical: 'manual', run_time_frequency: 'never', reboot_after_install: 'never' },
  ])
  const { id } = await add({
    name: 'Base',
    content: patching({
      approval: { ...ALL, low: { action: 'ignore', after_days: 0 } },
      schedule: { ...DAILY, recurs: 'monthly', weekdays: [], month_days: [-1], time: '04:30' },
    }),
    targets: everywhere,
  })
  const ofPolicy = {
    id,
    policy: id,
    critical: 'approve',
    low: 'ignore',
    run_time_frequency: 'monthly',
    run_time_hour: 4,
    run_time_day: 31,
    reboot_after_install: 'inherit',
  }
  const { body: policies } = await root.call(listPolicies, {})
  expect(policies.map(({ winupdatepolicy }) => winupdatepolicy)).toMatchObject([[ofPolicy]])
  expect(await detail()).toMatchObject([
    [],
    { low: 'ignore', run_time_day: 31, reboot_after_install: 'never' },
  ])
  const schedule = { ...DAILY, weekdays: [0, 1], time: '01:00' }
  await root.call(setOwnPatchPolicy, { params: { agent_id: pc.agent_id }, body: { schedule } })
  expect(await detail()).toMatchObject([
    [{ agent: pc.agent_id, critical: 'inherit', run_time_frequency: 'daily', run_time_days: [0, 6] }],
    { critical: 'approve', run_time_frequency: 'daily', run_time_hour: 1, reprocess_failed_times: 1 },
  ])
  await root.call(setOwnPatchPolicy, {
    params: { agent_id: pc.agent_id },
    body: { schedule: { ...DAILY, recurs: 'window' } },
  })
  expect((await detail())[1]?.run_time_frequency).toBe('window')
  const reader = server.as(await server.given.user({ permissions: ['can_list_agents'] }))
  expect(await detail(reader)).toEqual([[], null])
})

test('the own patch policy of a machine is changed with the machine, under the names of its response', async () => {
  await using fleet = await preparePatching()
  const { server, pc, root, view, asAda } = fleet
  const params = { agent_id: pc.agent_id }
  const put = async (change: OwnWinUpdateChange, caller = root) =>
    caller.call(editAgent, { params, body: { winupdatepolicy: [change] } })
  const own = async () => (await view()).own
  const severities = { critical: 'approve', important: 'approve', moderate: 'manual', low: 'ignore' } as const
  const { body } = await put({
    ...severities,
    other: 'ignore',
    run_time_frequency: 'monthly',
    run_time_day: 31,
  })
  expect(body).toMatchObject({
    winupdatepolicy: [{ ...severities, run_time_frequency: 'monthly', reboot_after_install: 'inherit' }],
    effective_patch_policy: { critical: 'approve', run_time_hour: 3, reboot_after_install: 'never' },
  })
  expect(await own()).toMatchObject({
    approval: { security: { action: 'ignore', after_days: 0 } },
    schedule: { recurs: 'monthly', month_days: [-1], time: '03:00' },
  })

  // Settings without a name are kept, and the unchanged response changes nothing.
  const approval = approvalOf({ critical: { action: 'approve', after_days: 7 } })
  const schedule = { ...DAILY, recurs: 'monthly' as const, weekdays: [], month_days: [1, 15], time: '04:30' }
  await root.call(setOwnPatchPolicy, { params, body: { approval, schedule } })
  const before = await own()
  const { body: read } = await root.call(getAgent, { params })
  // An own policy is never shown as "never".
  const unchanged = read.winupdatepolicy as OwnWinUpdateChange[]
  const { body: written } = await root.call(editAgent, { params, body: { winupdatepolicy: unchanged } })
  expect([await own(), written.winupdatepolicy]).toEqual([before, read.winupdatepolicy])
  await put({ low: 'approve', run_time_hour: 5, reboot_after_install: 'required', email_if_fail: true })
  expect(await own()).toMatchObject({
    approval: { critical: { after_days: 7 }, low: { action: 'approve' } },
    schedule: { month_days: [1, 15], time: '05:00' },
    reboot: { when: 'warn', only_if_needed: true },
    alert: { on_failure: true },
  })

  const { error } = await put({ critical: 'inherit' })
  const sentence = 'Use manual, approve or ignore, or inherit for all severities.'
  expect(error.fields).toEqual({ 'winupdatepolicy.0.critical': [sentence] })
  const wrong = { run_time_frequency: 'never', run_time_hour: 24, low: 'maybe', reprocess_failed_times: 9 }
  // Values that the types do not allow.
  const refused = (await put(wrong as unknown as OwnWinUpdateChange)).error
  expect(Object.keys(refused.fields ?? {}).toSorted()).toEqual(
    Object.keys(wrong)
      .map((name) => `winupdatepolicy.0.${name}`)
      .toSorted(),
  )
  expect(refused.fields?.['winupdatepolicy.0.run_time_frequency']).toEqual([
    'Use daily, monthly, window or inherit.',
  ])

  const editor = server.as(await server.given.user({ permissions: ['can_list_agents', 'can_edit_agent'] }))
  const kept = await own()
  expect((await put({ low: 'manual' }, editor)).error.detail).toContain('can_manage_winupdates')
  // Their response has no patch policy.
  expect((await editor.call(editAgent, { params, body: { winupdatepolicy: [] } })).status).toBe(200)
  expect(await own()).toEqual(kept)

  await root.call(editAgent, { params, body: { winupdatepolicy: [] } })
  expect(await own()).toEqual({})
  const { audit_logs } = (await (await asAda()).call(listAudit, { body: {} })).body
  const changes = audit_logs.filter(({ object_type }) => object_type === 'winupdatepolicy')
  expect(changes.map(({ message }) => message)).toEqual(
    Array(4).fill('Changed the own patch policy of "PC-12"'),
  )
  expect(changes[0]).toMatchObject({ before_value: kept, after_value: {} })
})
