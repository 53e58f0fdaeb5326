import type { PatchReport } from '@muster/contract/agent/patches'
import { searchAgents } from '@muster/contract/api/agent-search'
import { editClient, editSite } from '@muster/contract/api/clients'
import { createCustomField } from '@muster/contract/api/custom-fields'
import { createTag } from '@muster/contract/api/tags'
import type { Input } from '@muster/contract/endpoint'
import { createPolicy } from '@muster/contract/api/policies'
import { expect, test } from 'vitest'
import { createTestServer } from '../../../testing/test-server.ts'
import { storeFacts } from '../store-facts.ts'
import { storeMetrics } from '../../metrics/store-metrics.ts'
import { storePatches } from '../../patches/store-patches.ts'
import { patchOf } from '../../patches/test-patches.ts'
import { CPU, checkOf, contentOf } from '../../policies/test-policies.ts'
import { addMachine, namesOf } from './test-search.ts'

test('checks, alerts, patches, policies and samples are searched', async () => {
  await using server = await createTestServer()
  const root = server.as(await server.given.user({ superuser: true }))
  const site = await server.given.site()
  const [a, b] = [
    await addMachine(server, { site_id: site.id, hostname: 'a' }),
    await addMachine(server, { site_id: site.id, hostname: 'b' }),
  ]
  const { db } = server.ctx
  const now = server.clock.now().toISOString()
  const seconds = Math.floor(server.clock.now().getTime() / 1000)
  const failing = await server.given.check({ agent_id: a })
  const fresh = await server.given.check({ agent_id: b })
  const lacking = await server.given.check({ agent_id: b })
  await server.given.check({ agent_id: b })
  const result = { more_info: '', last_run: now, ran_at: seconds, fail_count: 0, failing_since: null, measured: '{}' } // prettier-ignore
  await db
    .insertInto('check_results')
    .values([
      { ...result, check_id: failing.id, status: 'failing', alert_severity: 'warning' },
      { ...result, check_id: fresh.id, status: 'passing', alert_severity: null },
      { ...result, check_id: lacking.id, status: 'not_measured', alert_severity: null },
    ])
    .execute()
  const name = String(JSON.parse(failing.settings).name)
  for (const [search, names] of [
    ['check:failing', ['a']],
    ['check:warning', ['a']],
    ['check:error', []],
    ['check:passing', ['b']],
    ['check:pending', ['b']],
    ['check:old', []],
    ['check:not_measured', ['b']],
    [`check:"Ping ${name}"`, ['a']],
    [`failing_check:"${name}"`, ['a']],
    ['failing_check:ping*', ['a']],
    ['check:ping', ['a', 'b']],
  ] as const)
    expect([search, await namesOf(root, search)]).toEqual([search, names])

  const alert = { alert_type: 'check', state: 'open', severity: 'warning', alert_time: now } as const
  await db
    .insertInto('alerts')
    .values([
      { ...ALERT, ...alert, created_at: now, modified: now, cause: 'x', open_cause: 'x', agent_id: a },
      { ...ALERT, ...alert, created_at: now, modified: now, cause: 'y', open_cause: null, agent_id: b },
    ])
    .execute()
  expect(await namesOf(root, 'alert:open')).toEqual(['a'])
  expect(await namesOf(root, 'alert:(error, warning)')).toEqual(['a'])
  expect(await namesOf(root, 'alert:snoozed')).toEqual([])
  expect(await namesOf(root, 'alert:"disk is full"')).toEqual(['a'])

  await server.ctx.transaction((tx, emit) =>
    storePatches(tx, emit, { reports: [{ agentId: b, report: patchReport }], now: server.clock.now() }),
  )
  for (const search of [
    'patch:critical',
    'patch:security',
    'patch:kb503*',
    'patch:"say \\ ü"',
    'patch:pending',
  ])
    expect([search, await namesOf(root, search)]).toEqual([search, ['b']])
  expect(await namesOf(root, 'patch:unscanned')).toEqual(['a'])
  for (const search of ['patch:low', 'patch:ignored', 'patch:kb9'])
    expect([search, await namesOf(root, search)]).toEqual([search, []])

  const security = [
    { subject: 'antivirus', name: 'ClamAV', state: 'off', detail: '' },
    { subject: 'firewall', name: 'ufw', state: 'on', detail: '' },
  ] as const
  const guest = { name: 'web', image: 'nginx:1.29', state: 'running', detail: '' } as const
  const guests = [{ runtime: 'podman' as const, problem: null, guests: [guest], left_out: 0 }]
  const disk = {
    device: '/dev/nvme0n1p2',
    mount: '/',
    fstype: 'ext4',
    total: 9,
    used: 4,
    free: 5,
    percent: 44,
  }
  const physical = { name: 'Samsung SSD', size: 9, type: 'NVMe', serial: 'S5X1-0042' }
  const card = { interface: 'eth0', address: '10.0.0.5', family: 'ipv4' as const, mac: '02:00:AB:cd:ef:01' }
  const facts = {
    security: [...security],
    guests,
    time_zone: 'Europe/Zurich',
    disks: [disk],
    physical_disks: [physical],
    addresses: [card, { ...card, interface: 'lo', mac: '00:00:00:00:00:00' }],
  }
  await server.ctx.transaction((tx) =>
    storeFacts(tx, server.clock.now(), new Map([[a, [{ kind: 'facts', facts }]]])),
  )
  for (const search of [
    'antivirus:off',
    'firewall:(on, attention)',
    'guest:nginx',
    'vm=web',
    'time_zone:zurich',
    'antivirus_product:clam',
    'firewall_product=UFW',
    'guest_state:running',
    'mac:02:00:ab',
    '02:00:ab:cd:ef:01',
    '02-00-AB-CD-EF-01',
    'mac=0200abcdef01',
    'disk_serial:s5x1-0042',
    'file_system:(xfs, ext4)',
    'device:nvme*0n1p2 or device:/dev/nvme',
  ])
    expect([search, await namesOf(root, search)]).toEqual([search, ['a']])
  for (const search of [
    'antivirus:on',
    'tpm:on',
    'guest=ngin',
    'enrolled>1d',
    'antivirus_product:ufw',
    'guest_state:stopped',
    'mac:00:00:00',
    '"02:00:ab:cd:ef:01"',
    'disk_serial:S5X2',
    'file_system=ext',
  ])
    expect([search, await namesOf(root, search)]).toEqual([search, []])
  expect(await namesOf(root, 'enrolled<1d')).toEqual(['a', 'b'])

  const content = contentOf([checkOf(CPU)])
  const targets = [{ level: 'search' as const, search: 'name=b type:workstation' }]
  await root.call(createPolicy, { body: { active: true, name: 'Base line', targets, content } })
  expect(await namesOf(root, 'policy:"base line"')).toEqual(['b'])
  expect(await namesOf(root, '-policy:base*')).toEqual(['a'])

  const sample = (cpu: number, at: number) => ({
    at: new Date(at * 1000).toISOString(),
    values: { cpu, load: 1 },
  })
  await server.ctx.transaction((tx) =>
    storeMetrics(tx, server.ctx, [
      { agentId: a, sample: sample(95, seconds - 60) },
      { agentId: a, sample: sample(20, seconds - 10) },
      { agentId: b, sample: sample(85, seconds - 20) },
    ]),
  )
  expect(await namesOf(root, 'cpu>80')).toEqual(['b'])
  expect(await namesOf(root, 'cpu:10..30% load=1')).toEqual(['a'])
  server.clock.advance(600)
  expect(await namesOf(root, 'cpu>0')).toEqual([])
})

test('a state is a whole name', async () => {
  await using server = await createTestServer()
  const root = server.as(await server.given.user({ superuser: true }))
  const agentId = await addMachine(server, { hostname: 'a' })
  const protection = {
    subject: 'antivirus' as const,
    name: 'ClamAV',
    state: 'attention' as const,
    detail: '',
  }
  await server.ctx.transaction((tx) =>
    storeFacts(
      tx,
      server.clock.now(),
      new Map([[agentId, [{ kind: 'facts', facts: { security: [protection] } }]]]),
    ),
  )
  expect(await namesOf(root, 'antivirus:on')).toEqual([])
  expect(await namesOf(root, 'antivirus:(on, attention)')).toEqual(['a'])
  expect(await namesOf(root, 'antivirus:*')).toEqual(['a'])
})

test('machines are found by custom fields of their clients and sites, with the right to see these', async () => {
  await using server = await createTestServer()
  const root = server.as(await server.given.user({ superuser: true }))
  const [acme, berta] = [await server.given.site(), await server.given.site()]
  await addMachine(server, { site_id: acme.id, hostname: 'a' })
  await addMachine(server, { site_id: berta.id, hostname: 'b' })
  const field = async (body: Input<typeof createCustomField>['body']) =>
    (await root.call(createCustomField, { body })).body.id
  const sla = await field({ model: 'client', name: 'SLA', type: 'text' })
  const boxes = await field({ model: 'site', name: 'Key boxes', type: 'number' })
  await field({ model: 'site', name: 'SLA', type: 'text' })
  await root.call(editClient, {
    params: { id: acme.client_id },
    body: { client: {}, custom_fields: [{ field: sla, value: 'Gold' }] },
  })
  await root.call(editSite, {
    params: { id: berta.id },
    body: { site: {}, custom_fields: [{ field: boxes, value: '12' }] },
  })
  for (const [search, names] of [
    ['client.sla:gold', ['a']],
    ['client.SLA=gol', []],
    ['client.sla:""', ['b']],
    ['-client.sla:*', ['b']],
    ['site."Key boxes">10', ['b']],
    ['site.key_boxes:1..12', ['b']],
    ['site.key_boxes>12', []],
    ['site.sla:gold', []],
    ['client.sla:gold or site.key_boxes:12', ['a', 'b']],
  ] as const)
    expect([search, await namesOf(root, search)]).toEqual([search, names])
  const limited = server.as(await server.given.user({ permissions: ['can_list_agents', 'can_list_sites'] }))
  expect(await namesOf(limited, 'site.key_boxes:12')).toEqual(['b'])
  const refused = await limited.call(searchAgents, { body: { search: 'client.sla:gold' } })
  expect(refused).toMatchObject({
    status: 403,
    error: { detail: 'Your role does not allow you to search by client.SLA.' },
  })
  const rule = { name: 'gold', rule: 'client.sla:gold' }
  expect((await root.call(createTag, { body: rule })).status).toBe(200)
})

const patchReport: PatchReport = {
  kind: 'patches',
  found: {
    hash: 'a'.repeat(32),
    patches: [
      patchOf('g-1', {
        source: 'windows',
        title: 'Say \\ Ü',
        kb: 'KB5031354',
        severity: 'Critical',
        security: true,
      }),
    ],
    left_out: 0,
  },
  problem: null,
}

const ALERT = { message: 'Disk is full', check_id: null, site_id: null, acknowledged_by: '', resolved_by: '', flapping: 0 } as const // prettier-ignore
