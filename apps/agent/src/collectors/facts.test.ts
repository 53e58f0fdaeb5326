import { expect, test } from 'vitest'
import { os } from '../os/index.ts'
import { givenAgent, givenLog } from '../testing/given.ts'
import { findChangedFacts, fitFacts } from './facts-reporter.ts'

const disk = {
  device: '/dev/sda',
  mount: '/',
  fstype: 'ext4',
  total: 1000,
  used: 500,
  free: 500,
  percent: 50,
}

test.each([
  ['the same', { hostname: 'a' }, { hostname: 'a' }, {}],
  ['a changed name', { hostname: 'a', arch: 'amd64' }, { hostname: 'b', arch: 'amd64' }, { hostname: 'b' }],
  ['something new', {}, { needs_reboot: false }, { needs_reboot: false }],
  ['a user who left', { logged_in_user: 'anna' }, { logged_in_user: null }, { logged_in_user: null }],
  ['a corrected clock', { boot_time: 100 }, { boot_time: 102 }, {}],
  ['a restart', { boot_time: 100 }, { boot_time: 200 }, { boot_time: 200 }],
  ['a disk that breathes', { disks: [disk] }, { disks: [{ ...disk, used: 504 }] }, {}],
  [
    'a disk that fills',
    { disks: [disk] },
    { disks: [{ ...disk, used: 510 }] },
    { disks: [{ ...disk, used: 510 }] },
  ],
  ['a disk that is gone', { disks: [disk] }, { disks: [] }, { disks: [] }],
])('%s', (_, reported, now, changed) => {
  expect(findChangedFacts(reported, now)).toEqual(changed)
})

test('facts are cut to the limits of the contract, and invalid ones are dropped', () => {
  const { log } = givenLog([/dropped a fact/])
  const long = 'x'.repeat(1000)
  const facts = fitFacts(
    { hostname: long, cpus: Array.from({ length: 100 }, () => long), total_ram: -1, make: 'Acme' },
    log,
  )
  expect(facts.hostname).toHaveLength(255)
  expect(facts.cpus).toHaveLength(64)
  expect(facts).not.toHaveProperty('total_ram')
  expect(facts.make).toBe('Acme')
})

test('all facts are reported at the start of a link, later only changes', async () => {
  let user: string | null = null
  let reads = 0
  const readQuickFacts = async () => {
    reads += 1
    return { hostname: 'pc-1', platform: 'linux' as const, logged_in_user: user }
  }
  const { server } = await givenAgent({ agent: { os: { ...os, readQuickFacts }, quickEveryMs: 50 } })
  const reports = () => server.reports.flatMap((report) => (report.kind === 'facts' ? [report.facts] : []))
  await server.until(() => reads > 4)
  const first = Object.assign({}, ...reports()) as object
  expect(first).toMatchObject({
    hostname: 'pc-1',
    logged_in_user: null,
    make: 'Acme',
    agent_version: '0.1.0',
    problems: [],
  })
  const count = reports().length
  user = 'anna'
  await server.until(() => reports().length > count)
  expect(reports().at(-1)).toEqual({ logged_in_user: 'anna', last_logged_in_user: 'anna' })
  user = null
  await server.until(() => reports().at(-1)?.logged_in_user === null)
  expect(reports().at(-1)).toEqual({ logged_in_user: null })

  server.frames.length = 0
  const again = server.untilUp()
  server.socket?.terminate()
  await again
  await server.until(() => reports().length > 0)
  expect(reports()[0]).toMatchObject({ hostname: 'pc-1', last_logged_in_user: 'anna', make: 'Acme' })
})

test('a cut list is reported with the count of the rest until it fits again', async () => {
  const address = { interface: 'eth0', family: 'ipv4' as const, mac: '' }
  let count = 300
  const fake = {
    ...os,
    readQuickFacts: async () => ({
      ...(await os.readQuickFacts()),
      addresses: Array.from({ length: count }, (_, index) => ({ ...address, address: `10.0.${index}.1` })),
    }),
  }
  const { server, restart } = await givenAgent({ agent: { os: fake } })
  const last = () =>
    server.reports
      .flatMap((report) => (report.kind === 'facts' && report.facts.left_out ? [report.facts] : []))
      .at(-1)
  await server.until(() => last()?.left_out?.addresses === 44)
  expect(last()?.addresses).toHaveLength(256)
  expect(last()?.addresses?.[0]?.address).toBe('10.0.0.1')
  count = 3
  await restart()
  await server.until(() => JSON.stringify(last()?.left_out) === '{}')
})

test('facts are read again when the server requests them', async () => {
  let make = 'Acme'
  const { server } = await givenAgent({ agent: { readSlowFacts: async () => ({ make }) } })
  const makes = () => server.reports.flatMap((report) => (report.kind === 'facts' ? [report.facts.make] : []))
  await server.until(() => makes().includes('Acme'))
  make = 'Globex'
  server.command(server.sign('report-facts', {}))
  await server.until(() => makes().includes('Globex'))
})

test('a failing collector is a problem and does not stop the agent', async () => {
  let isBroken = true
  const readSlowFacts = async () => {
    if (isBroken) throw new Error('no such tool')
    return { make: 'Acme' }
  }
  const { server } = await givenAgent({
    agent: { readSlowFacts },
    expectedWarnings: [/failed to collect facts/],
  })
  const problems = () =>
    server.reports.flatMap((report) =>
      report.kind === 'facts' && report.facts.problems ? [report.facts.problems] : [],
    )
  await server.until(() =>
    problems().some(([first]) => first === 'Failed to collect some facts of this machine: no such tool'),
  )
  isBroken = false
  server.command(server.sign('report-facts', {}))
  await server.until(() => problems().at(-1)?.length === 0)
})

test('facts that were read are reported, with a problem about those that were not', async () => {
  let problems = ['The agent failed to read the firmware: access is denied.']
  const readSlowFacts = async () => ({ cpus: ['Xeon'], problems })
  const { server } = await givenAgent({ agent: { readSlowFacts } })
  const known = () =>
    server.reports.reduce((all, report) => (report.kind === 'facts' ? { ...all, ...report.facts } : all), {})
  await server.until(() => JSON.stringify(known()).includes('access is denied'))
  expect(known()).toMatchObject({ cpus: ['Xeon'] })
  problems = []
  server.command(server.sign('report-facts', {}))
  await server.until(() => !JSON.stringify(known()).includes('access is denied'))
})

test('facts that could not be read are read again soon', async () => {
  let reads = 0
  const readSlowFacts = async () => {
    reads += 1
    if (reads === 1) throw new Error('busy')
    return { make: 'Acme' }
  }
  const { server } = await givenAgent({
    agent: { readSlowFacts, slowAgainAfterMs: 50 },
    expectedWarnings: [/failed to collect facts/],
  })
  await server.until(() =>
    server.reports.some((report) => report.kind === 'facts' && report.facts.make === 'Acme'),
  )
  expect(reads).toBe(2)
})
