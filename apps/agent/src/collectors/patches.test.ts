import { spawn } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { givenPrograms } from '../testing/given-programs.ts'
import { isAlive } from '../testing/is-alive.ts'
import { resolve } from 'node:path'
import {
  InstalledPatchReport,
  MAX_INSTALLED_PATCH_BYTES,
  MAX_PATCH_BYTES,
  MAX_PATCHES,
  PatchReport,
} from '@muster/contract/agent/patches'
import type { PackageChange } from '@muster/rules/agents/package-change'
import { expect, test, vi } from 'vitest'
import { readDpkgLogs } from '../os/linux/dpkg-logs.ts'
import { makeInstalledPatch, makePatch } from '../os/package-tools.ts'
import { givenAgent, givenLog } from '../testing/given.ts'
import { givenApt } from '../testing/given-apt.ts'
import { makeInstalledReport, makePatchReport } from '../cli/reports.ts'
import { readPatchesInChildProcess } from './child-reports.ts'
import { PatchReporter } from './patch-reporter.ts'

const AGENT = [process.execPath, resolve(import.meta.dirname, '../main.ts')]
const LIMITS = { timeout_seconds: 60, output_cap_bytes: 100_000 }

test('a machine with too many patches reports those that fit and counts the others', () => {
  const many = Array.from({ length: MAX_PATCHES + 7 }, (_, index) =>
    makePatch({
      guid: `p${index}`,
      source: 'apt',
      title: `${'日'.repeat(400)}\n`,
      description: 'x'.repeat(9000),
    }),
  )
  const report = makePatchReport([...many, ...many], 'a\nb')
  expect(PatchReport.parse(report)).toEqual(report)
  expect(report.problem).toBe('a b')
  const { patches = [], left_out = 0 } = report.found ?? {}
  expect(patches.length + left_out).toBe(many.length)
  expect(Buffer.byteLength(JSON.stringify(patches))).toBeLessThan(MAX_PATCH_BYTES + 200)
})

test('a machine reports its newest installed patches that fit', () => {
  const many = Array.from({ length: 2000 }, (_, index) =>
    makeInstalledPatch({
      guid: `p${index}`,
      source: 'apt',
      title: '日'.repeat(400),
      at: new Date(1_700_000_000_000 + index * 1000),
    }),
  ).flat()
  const report = makeInstalledReport([...many, ...many])
  expect(InstalledPatchReport.parse(report)).toEqual(report)
  expect(report.patches.slice(0, 2).map(({ guid }) => guid)).toEqual(['p1999', 'p1998'])
  expect(Buffer.byteLength(JSON.stringify(report.patches))).toBeLessThan(MAX_INSTALLED_PATCH_BYTES + 10)
})

test('installed patches are sent when they have changed, and after a requested scan', async () => {
  let installedHash = 'a'
  const sent: string[] = []
  const kept = new Map<string, string>()
  using reporter = new PatchReporter({
    read: async () => ({ needsReboot: null, report: '{}', installedHash, installed: '{}' }),
    outbox: { append: () => {}, appendWritten: (kind) => void sent.push(kind) },
    keyValues: {
      find: (key) => kept.get(key),
      save: (key, value) => void kept.set(key, value),
      remove: (key) => void kept.delete(key),
    },
    bootMark: () => '',
    log: givenLog().log,
  })
  const scanned = async (start: () => void) => {
    sent.length = 0
    start()
    await vi.waitFor(() => expect(sent).toContain('patches'))
    return sent
  }
  expect(await scanned(() => reporter.rescan())).toEqual(['patches', 'installed-patches'])
  expect(await scanned(() => reporter.rescan())).toEqual(['patches'])
  installedHash = 'b'
  expect(await scanned(() => reporter.rescan())).toEqual(['patches', 'installed-patches'])
  expect(await scanned(() => reporter.scan())).toEqual(['patches', 'installed-patches'])
})

async function givenMachine() {
  const apt = givenApt([
    { name: 'muster-hello', version: '1.0' },
    { name: 'muster-same', version: '1.0' },
  ])
  apt.offer(
    { name: 'muster-hello', version: '2.0', depends: 'muster-new' },
    { name: 'muster-new', version: '1.0' },
    { name: 'muster-same', version: '1.0' },
    { name: 'muster-extra', version: '0.9' },
  )
  const given = await givenAgent({
    agent: { readPatches: readPatchesInChildProcess(AGENT), firstPatchScanMs: 3_600_000 },
    expectedWarnings: [/command refused/],
  })
  const { server } = given
  const looks = () => server.reports.flatMap((report) => (report.kind === 'patches' ? [report] : []))
  const install = (history_id: number, guids: string[] | null) =>
    server.command(server.sign('install-patches', { guids, ...LIMITS }, { payload: { history_id } }))
  return { ...given, apt, looks, install }
}

test('the real apt lists patches, installs one, and the agent scans again', async () => {
  const { server, apt, looks, install } = await givenMachine()
  server.command(server.sign('scan-patches', {}))
  await server.until(() => looks().length === 1)
  expect(looks()[0]).toMatchObject({
    problem: null,
    found: {
      left_out: 0,
      patches: [
        { guid: 'muster-hello', source: 'apt', current_version: '1.0', version: '2.0', needs_reboot: false },
      ],
    },
  })
  install(7, ['muster-hello'])
  expect(await server.result(7)).toMatchObject({ outcome: 'exited', retcode: 0, reason: null })
  expect(server.outputOf(7)).toMatch(/Setting up muster-hello \(2\.0\)/)
  expect(server.outputOf(7)).toMatch(/^Progress: \d+ %$/m)
  expect([apt.versionOf('muster-hello'), apt.versionOf('muster-new')]).toEqual(['2.0', '1.0'])
  await server.until(() => looks().length === 2)
  expect(looks()[1]?.found?.patches).toEqual([])
  expect(readDpkgLogs(apt.logs)).toMatchObject([
    { guid: 'muster-hello', version: '2.0', installed_at: expect.any(String) },
  ])
})

test('the real apt installs, upgrades and removes packages by name, or the result says why not', async () => {
  const { server, apt } = await givenMachine()
  server.command(server.sign('scan-patches', {}))
  await server.until(() => server.reports.some(({ kind }) => kind === 'patches'))
  let runs = 0
  const change = async (what: PackageChange, ...names: string[]) => {
    const history_id = (runs += 1)
    server.command(server.sign(`${what}-package`, { names, ...LIMITS }, { payload: { history_id } }))
    const { outcome, reason } = await server.result(history_id)
    return reason ?? outcome
  }
  expect(await change('install', 'muster-unknown', 'muster-extra')).toBe('exited')
  expect(apt.versionOf('muster-extra')).toBe('0.9')
  expect(await change('install', 'muster-unknown')).toContain('Package muster-unknown was not found.')
  expect(await change('upgrade', 'muster-new')).toContain('Package muster-new is not installed')
  expect(await change('upgrade', 'muster-hello')).toBe('exited')
  expect([apt.versionOf('muster-hello'), apt.versionOf('muster-new')]).toEqual(['2.0', '1.0'])
  expect(await change('remove', 'muster-new')).toContain(
    'Nothing was removed, because other packages need muster-new: muster-hello.',
  )
  expect(await change('remove', 'muster-unknown', 'muster-extra')).toBe('exited')
  expect(await change('remove', 'muster-hello')).toBe('exited')
  expect([apt.versionOf('muster-hello'), apt.versionOf('muster-extra')]).toEqual([undefined, undefined])
})

test('only one installation runs at once; a locked dpkg and an interruption are reported', async () => {
  const { server, apt, install, restart } = await givenMachine()
  const { pid, release } = await apt.lock()
  install(1, null)
  await server.until(() => server.outputOf(1).includes('Waiting for cache lock'))
  install(2, null)
  expect(await server.result(2)).toMatchObject({
    outcome: 'refused',
    reason: 'Another installation is running on this machine. Wait until it has finished.',
  })
  await restart()
  expect(await server.result(1)).toMatchObject({
    outcome: 'failed',
    reason: 'The agent was stopped while this ran.',
  })
  apt.makeImpatient()
  install(3, null)
  expect(await server.result(3)).toMatchObject({
    outcome: 'failed',
    reason: `Another package manager is running: perl, process ${pid}. Try again when it has finished.`,
  })
  await release()
  expect(apt.versionOf('muster-hello')).toBe('1.0')
})

test('an agent that stops or is killed during a scan leaves no apt-get running', async () => {
  const folder = givenPrograms({ 'apt-get': 'echo $$ >"$here/pid"; exec sleep 60' })
  const pidOf = () =>
    vi.waitFor(() => Number(/^\d+\n/.exec(readFileSync(join(folder, 'pid'), 'utf8'))?.[0] || Number.NaN))
  const isGone = (pid: number) => vi.waitFor(() => expect(isAlive(pid)).toBe(false))

  const stop = new AbortController()
  const looking = readPatchesInChildProcess(AGENT)('when old', stop.signal)
  const first = await pidOf()
  stop.abort()
  await expect(looking).rejects.toThrow()
  await isGone(first)

  rmSync(join(folder, 'pid'))
  const agent = spawn('sh', ['-c', '"$0" "$1" patches; :', ...AGENT])
  const second = await pidOf()
  agent.kill('SIGKILL')
  await isGone(second)
})
