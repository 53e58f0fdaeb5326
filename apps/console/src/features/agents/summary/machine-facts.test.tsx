import type { AgentFacts } from '@muster/contract/agent/facts'
import { type AgentDetail, getAgent } from '@muster/contract/api/agents'
import { parseSearch } from '@muster/rules/search/parse-search'
import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { answer } from '../../../testing/test-server.ts'
import { givenDashboard, testDetail } from '../../dashboard/test-dashboard.ts'

const FACTS: AgentFacts = {
  hostname: 'alpha',
  platform: 'windows',
  arch: 'amd64',
  os_name: 'Windows 11 Pro',
  os_version: '24H2',
  boot_time: 1_790_000_000,
  logged_in_user: null,
  last_logged_in_user: null,
  total_ram: 0,
  cpus: [],
  graphics: [],
  disks: [],
  physical_disks: [],
  addresses: [],
  make: '',
  model: '',
  serial_number: '',
  time_zone: '',
  needs_reboot: false,
  agent_version: '0.1.0',
  problems: [],
}

/** The summary of a machine with these facts. */
async function givenSummary(more: Partial<AgentFacts>, detail: Partial<AgentDetail> = {}) {
  const { server, open } = await givenDashboard()
  server.on(getAgent, () => answer(getAgent, testDetail({ facts: { ...FACTS, ...more }, ...detail })))
  await open('/?agent=alpha0000000&pane=summary')
  return (name: string) => page.getByRole('region', { name })
}

test('memory is shown in a unit that fits, in three significant digits', async () => {
  const card = await givenSummary({}, { ram_bytes: 7.68 * 1024 ** 3, total_ram: 8 })
  await expect.element(card('Machine').getByText('7.68 GB', { exact: true })).toBeVisible()
})

test('the memory of a small machine is not 0 GB', async () => {
  const card = await givenSummary({}, { ram_bytes: 480 * 1024 ** 2, total_ram: 0 })
  await expect.element(card('Machine').getByText('480 MB', { exact: true })).toBeVisible()
})

test('the security of a machine is shown, with the reason for what could not be read', async () => {
  const card = await givenSummary({
    security: [
      { subject: 'antivirus', name: 'Microsoft Defender', state: 'attention', detail: 'snoozed' },
      { subject: 'disk_encryption', name: 'C:', state: 'on', detail: '' },
      { subject: 'disk_encryption', name: 'D:', state: 'off', detail: '' },
      { subject: 'firewall', name: 'Firewall', state: 'unknown', detail: 'nft is not installed.' },
    ],
  })
  await expect.element(card('Security')).toBeVisible()
  expect(card('Security').element().textContent).toBe(
    'SecurityAntivirusMicrosoft Defender needs attention (snoozed)EncryptionC: onD: offFirewallunknown (nft is not installed.)',
  )
})

test('an agent that does not report its security says so', async () => {
  const card = await givenSummary({})
  await expect
    .element(card('Security').getByText('Not reported. Update the agent of this machine.'))
    .toBeVisible()
})

test('containers and virtual machines are listed by runtime, with the message of one that failed', async () => {
  const card = await givenSummary({
    guests: [
      {
        runtime: 'docker',
        problem: null,
        guests: [
          { name: 'web', image: 'nginx:1.27', state: 'running', detail: 'unhealthy' },
          { name: 'job', image: 'backup', state: 'stopped', detail: '' },
        ],
        left_out: 3,
      },
      { runtime: 'podman', problem: 'podman printed no JSON.', guests: [], left_out: 0 },
      { runtime: 'libvirt', problem: null, guests: [], left_out: 0 },
    ],
  })
  const shown = card('Containers and virtual machines')
  await expect.element(shown).toBeVisible()
  expect(shown.element().textContent).toBe(
    'Containers and virtual machinesDockerweb running, unhealthy, nginx:1.27job stopped, backupand 3 morePodmanpodman printed no JSON.libvirtnone',
  )
})

test('the addresses that an agent left out are counted', async () => {
  const address = { interface: 'eth0', address: '192.0.2.7', family: 'ipv4' as const, mac: '' }
  const card = await givenSummary({ addresses: [address], left_out: { addresses: 44, disks: 2 } })
  await expect.element(card('Users and network').getByText('and 44 more')).toBeVisible()
  await expect.element(card('Disks').getByText('and 2 more')).toBeVisible()
})

test('a machine without a runtime has no card for its guests', async () => {
  const card = await givenSummary({ guests: [] })
  await expect.element(card('Security')).toBeVisible()
  await expect.element(card('Containers and virtual machines')).not.toBeInTheDocument()
})

test('tags and policies lead to the machines that have them', async () => {
  const { server, open } = await givenDashboard()
  const policy = { id: 1, name: 'Servers "A"', level: 'default' as const, enforced: false }
  server.on(getAgent, () =>
    answer(getAgent, testDetail({ tags: ['gold support'], applied_policies: [policy] })),
  )
  await open('/agents/alpha0000000')
  const linkTo = (name: string) => page.getByRole('link', { name: `Machines with ${name}`, exact: true })
  await expect.element(linkTo('tag gold support')).toBeVisible()
  const searches = [linkTo('tag gold support'), linkTo('policy Servers "A"')].map((link) => {
    const address = new URL(link.element().getAttribute('href') ?? '', location.href)
    return address.searchParams.get('search') ?? ''
  })
  expect(searches).toEqual(['tag="gold support"', 'policy="Servers ""A"""'])
  for (const search of searches) expect(parseSearch(search).error).toBeUndefined()
})
