import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listAudit } from '@muster/contract/api/audit'
import { planFleetJob } from '@muster/contract/api/fleet-jobs'
import { createKey } from '@muster/contract/api/keystore'
import { createScript } from '@muster/contract/api/scripts'
import { AgentManifest } from '@muster/contract/agent/updates'
import type { CommandInput } from '@muster/contract/agent/commands'
import { expect, onTestFinished, test } from 'vitest'
import { storeFacts } from '../agents/store-facts.ts'
import { storePatches } from '../patches/store-patches.ts'
import { patchOf } from '../patches/test-patches.ts'
import { result } from '../runs/test-run.ts'
import type { Draft } from './test-fleet-jobs.ts'
import { type JobMachine, startMachines } from './test-job-machine.ts'

const inputsOf = ({ received }: JobMachine, wanted: string) =>
  received.filter(({ name }) => name === wanted).map(({ input }) => input)

const WARNING = { message: 'New firewall. Save your work.', delay_minutes: 20, may_postpone: false }

test.each<{ action: Draft['action']; request: string; input: object; text: string; done: string }>([
  {
    action: { type: 'power', action: 'reboot', warning: WARNING },
    request: 'plan-power',
    input: { action: 'reboot', message: WARNING.message, seconds: 1200, postponements: 0, if_nobody: 'now' },
    text: 'Restart the machine',
    done: 'Planned, and the user is warned 20 minutes before',
  },
  {
    action: { type: 'power', action: 'shutdown' },
    request: 'plan-power',
    input: { action: 'shutdown', message: '', seconds: 300, postponements: 3, postpone_seconds: 900 },
    text: 'Shut down the machine',
    done: 'Planned, and the user is warned 5 minutes before',
  },
  {
    action: { type: 'power', action: 'reboot', now: true },
    request: 'change-power',
    input: { action: 'reboot' },
    text: 'Restart the machine',
    done: 'Done',
  },
  {
    action: { type: 'power', action: 'shutdown', now: true },
    request: 'change-power',
    input: { action: 'shutdown' },
    text: 'Shut down the machine',
    done: 'Done',
  },
  {
    action: { type: 'scan_patches' },
    request: 'scan-patches',
    input: {},
    text: 'Scan for patches',
    done: 'Scanned',
  },
])('a job sends $request to its machines: $text, and one that refuses has failed', async (expected) => {
  await using prepared = await startMachines()
  const { fleet, linux, windows, run } = prepared
  windows.refused.add(expected.request)
  const job = await run(expected.action)
  expect(await fleet.read(job.id)).toMatchObject({
    state: 'done',
    action_text: expected.text,
    counts: { succeeded: 1, failed: 1 },
  })
  expect(inputsOf(linux, expected.request)).toEqual([expect.objectContaining(expected.input)])
  expect(await fleet.list(job.id, { state: 'succeeded' })).toMatchObject([
    { hostname: 'web-01', line: expected.done },
  ])
  expect(await fleet.list(job.id, { state: 'failed' })).toMatchObject([
    { hostname: 'PC-1', reason: 'PC-1: The disk is full.' },
  ])
})

test.each<{ action: Draft['action']; request: string; input: object; reason: string }>([
  {
    action: { type: 'run_checks' },
    request: 'run-checks',
    input: { ids: null },
    reason: 'PC-9 is offline. Try again when it is connected.',
  },
  { action: { type: 'refresh' }, request: 'report-facts', input: {}, reason: 'PC-9 is offline.' },
])('a job sends $request to its machines, and one whose link is gone has failed', async (expected) => {
  await using prepared = await startMachines()
  const { server, fleet, linux, windows, target } = prepared
  const gone = await server.given.agent({ site_id: fleet.site.id, hostname: 'PC-9', connected: 1 })
  const agents = [...target.agents, gone.agent_id]
  const { id } = await fleet.start({ target: { by: 'agents', agents }, action: expected.action })
  expect(await fleet.read(id)).toMatchObject({ state: 'done', counts: { succeeded: 2, failed: 1 } })
  for (const machine of [linux, windows])
    await expect.poll(() => inputsOf(machine, expected.request)).toEqual([expected.input])
  expect(await fleet.list(id, { state: 'failed' })).toMatchObject([
    { hostname: 'PC-9', reason: expected.reason },
  ])
})

test('a job wakes sleeping machines at once, and leaves those that are connected', async () => {
  await using prepared = await startMachines()
  const { server, fleet, linux, windows, target } = prepared
  const sleeping = await server.given.agent({ site_id: fleet.site.id, hostname: 'PC-8', connected: 0 })
  const unknown = await server.given.agent({ site_id: fleet.site.id, hostname: 'PC-9', connected: 0 })
  const card = {
    interface: 'eth0',
    address: '10.1.2.3',
    family: 'ipv4' as const,
    mac: '02:00:00:00:00:01',
  }
  const facts = { kind: 'facts' as const, facts: { addresses: [card] } }
  await server.ctx.transaction((tx) =>
    storeFacts(tx, server.clock.now(), new Map([[sleeping.agent_id, [facts]]])),
  )
  const agents = [...target.agents, sleeping.agent_id, unknown.agent_id]
  const draft = {
    target: { by: 'agents' as const, agents },
    action: { type: 'power' as const, action: 'wake' as const },
  }
  const { body: plan } = await fleet.ada.call(planFleetJob, { body: draft })
  expect(plan).toMatchObject({
    planned: 2,
    // They do not wait until they return.
    offline: 0,
    skipped: [{ code: 'unsuitable', count: 2, reason: 'The machine is connected, so it is already awake.' }],
  })
  const { id } = await fleet.start({ ...draft, schedule: { offline: 'skip' } })
  expect(await fleet.read(id)).toMatchObject({ state: 'done', counts: { succeeded: 1, failed: 1 } })
  for (const machine of [linux, windows])
    expect(inputsOf(machine, 'send-wake-up')).toEqual([{ macs: [card.mac] }])
  expect(await fleet.list(id, { state: 'succeeded' })).toMatchObject([
    { hostname: 'PC-8', line: expect.stringMatching(/^Wake-up packet sent by (web-01, PC-1|PC-1, web-01)$/) },
  ])
  expect(await fleet.list(id, { state: 'failed' })).toMatchObject([
    { hostname: 'PC-9', reason: 'The network cards of PC-9 are unknown, so it cannot be woken.' },
  ])
})

test('a job installs the approved patches of each machine, and one without any is skipped', async () => {
  await using prepared = await startMachines()
  const { server, fleet, linux, windows, target } = prepared
  const none = await server.given.agent({ site_id: fleet.site.id, hostname: 'PC-9', connected: 1 })
  const report = (agentId: string, guids: string[]) => ({
    agentId,
    report: {
      kind: 'patches' as const,
      found: {
        hash: 'a'.repeat(32),
        patches: guids.map((guid) => patchOf(guid, { severity: guid === 'openssl' ? 'Critical' : 'Low' })),
        left_out: 0,
      },
      problem: null,
    },
  })
  const reports = [
    report(linux.agent.agentId, ['openssl', 'vim']),
    report(windows.agent.agentId, ['openssl']),
    report(none.agent_id, ['vim']),
  ]
  const now = server.clock.now()
  await server.ctx.transaction((tx, emit) => storePatches(tx, emit, { reports, now }))
  await fleet.start({ target, action: { type: 'approve_patches', severities: ['Critical'] } })
  const agents = [...target.agents, none.agent_id]
  const job = await fleet.start({
    target: { by: 'agents', agents },
    action: { type: 'install_patches', timeout: 600 },
  })
  expect(job).toMatchObject({
    action_text: 'Install the approved patches',
    planned: 2,
    skipped: [{ code: 'unsuitable', reason: 'PC-9 has no approved patch that is missing.', count: 1 }],
  })
  for (const machine of [linux, windows])
    await expect
      .poll(() => inputsOf(machine, 'install-patches'))
      .toMatchObject([{ guids: ['openssl'], timeout_seconds: 600 }])
  const runs = new Map((await fleet.open(job.id)).map(({ agent_id, id }) => [agent_id, id]))
  const runOf = ({ agent }: JobMachine) => runs.get(agent.agentId) ?? 0
  linux.agent.report(result(runOf(linux)))
  const refusal = { outcome: 'refused', reason: 'The disk is full.', retcode: null } as const
  windows.agent.report(result(runOf(windows), refusal))
  await expect
    .poll(() => fleet.read(job.id))
    .toMatchObject({ state: 'done', counts: { succeeded: 1, failed: 1 } })
  expect(await fleet.list(job.id, { state: 'failed' })).toMatchObject([
    { hostname: 'PC-1', reason: 'The disk is full.' },
  ])
})

test('a job orders the update of agents, and one that cannot update itself has failed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'muster-carried-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'agent.mjs'), 'console.log("the agent")\n')
  writeFileSync(join(folder, 'version.json'), JSON.stringify({ version: '2.0.0', node: 24 }))
  await using prepared = await startMachines({ env: { MUSTER_AGENT_FOLDER: folder }, canUpdate: true })
  const { server, fleet, linux, windows, target } = prepared
  const old = await server.given.agent({ site_id: fleet.site.id, hostname: 'PC-9', connected: 1 })
  const agents = [...target.agents, old.agent_id]
  const { id } = await fleet.start({ target: { by: 'agents', agents }, action: { type: 'update_agent' } })
  expect(await fleet.read(id)).toMatchObject({ state: 'done', counts: { succeeded: 2, failed: 1 } })
  expect(await fleet.list(id, { state: 'failed' })).toMatchObject([
    {
      hostname: 'PC-9',
      reason: 'The agent of PC-9 cannot update itself. Install it again with a current installer.',
    },
  ])
  await server.ctx.jobs.drain()
  for (const machine of [linux, windows]) {
    await expect.poll(() => inputsOf(machine, 'update-agent')).toHaveLength(1)
    expect(AgentManifest.parse(inputsOf(machine, 'update-agent')[0])).toMatchObject({ version: '2.0.0' })
  }
  const { audit_logs } = (await fleet.ada.call(listAudit, { body: {} })).body
  const ordered = audit_logs.filter(({ message }) => message.startsWith('Ordered the update'))
  expect(ordered.map(({ username }) => username)).toEqual(['ada', 'ada'])
})

test('each machine of a job gets the script with the values of its parameters, and wrong ones are refused', async () => {
  await using prepared = await startMachines()
  const { fleet, linux, windows, run } = prepared
  await fleet.ada.call(createKey, { body: { name: 'DB', value: 'correct horse' } })
  const { body: script } = await fleet.ada.call(createScript, {
    body: {
      name: 'Clean up',
      shell: 'python',
      script_body: 'pass',
      parameters: [
        { name: 'Note', type: 'text', required: true },
        { name: 'Days', type: 'number', default: '30' },
        { name: 'Password', type: 'secret' },
      ],
    },
  })
  const action = (days: string): Draft['action'] => ({
    type: 'script',
    script: script.id,
    env_vars: [
      'MUSTER_PARAM_NOTE=of {{agent.hostname}}',
      `MUSTER_PARAM_DAYS=${days}`,
      'MUSTER_PARAM_PASSWORD={{global.DB}}',
    ],
  })
  const refused = await fleet.ada.call(planFleetJob, {
    body: { target: { by: 'all' }, action: action('soon') },
  })
  expect(refused.error.fields).toEqual({
    'action.parameters.Days': ['Days needs a number, such as 10 or -0.5.'],
  })
  const job = await run(action('7'))
  for (const [machine, hostname] of [
    [linux, 'web-01'],
    [windows, 'PC-1'],
  ] as const) {
    await expect.poll(() => inputsOf(machine, 'run-script')).toHaveLength(1)
    // A signed order of the server, made from the contract.
    const input = inputsOf(machine, 'run-script')[0] as CommandInput<'run-script'>
    expect(input).toMatchObject({
      env_vars: [
        `MUSTER_PARAM_NOTE=of ${hostname}`,
        'MUSTER_PARAM_DAYS=7',
        'MUSTER_PARAM_PASSWORD=correct horse',
      ],
      secrets: ['correct horse'],
    })
  }
  expect(JSON.stringify(await fleet.read(job.id))).not.toContain('correct horse')
})
