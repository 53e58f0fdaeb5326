import { spawn } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { givenPrograms } from '../testing/given-programs.ts'
import { isAlive } from '../testing/is-alive.ts'
import { resolve } from 'node:path'
import { MAX_PATCH_BYTES, MAX_PATCHES, PatchReport } from '@muster/contract/agent/patches'
import { expect, test, vi } from 'vitest'
import { makePatch } from '../os/package-tools.ts'
import { givenAgent } from '../testing/given.ts'
import { givenApt } from '../testing/given-apt.ts'
import { makePatchReport } from '../cli/reports.ts'
import { readPatchesInChildProcess } from './child-reports.ts'

vi.setConfig({ testTimeout: 90_000 })

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
  await server.until(() => looks().length === 1, 30_000)
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
  expect(await server.result(7, 30_000)).toMatchObject({ outcome: 'exited', retcode: 0, reason: null })
  expect(server.outputOf(7)).toMatch(/Setting up muster-hello \(2\.0\)/)
  expect(server.outputOf(7)).toMatch(/^Progress: \d+ %$/m)
  expect([apt.versionOf('muster-hello'), apt.versionOf('muster-new')]).toEqual(['2.0', '1.0'])
  await server.until(() => looks().length === 2, 30_000)
  expect(looks()[1]?.found?.patches).toEqual([])
  const names = ['muster-unknown', 'muster-extra']
  server.command(server.sign('install-package', { names, ...LIMITS }, { payload: { history_id: 8 } }))
  expect(await server.result(8, 30_000)).toMatchObject({ outcome: 'exited', retcode: 0 })
  expect(apt.versionOf('muster-extra')).toBe('0.9')
  server.command(
    server.sign('install-package', { names: ['muster-unknown'], ...LIMITS }, { payload: { history_id: 9 } }),
  )
  expect(await server.result(9, 30_000)).toMatchObject({
    outcome: 'failed',
    reason: expect.stringContaining('Package muster-unknown was not found.'),
  })
})

test('only one installation runs at once; a locked dpkg and an interruption are reported', async () => {
  const { server, apt, install, restart } = await givenMachine()
  const { pid, release } = await apt.lock()
  install(1, null)
  await server.until(() => server.outputOf(1).includes('Waiting for cache lock'), 30_000)
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
  expect(await server.result(3, 30_000)).toMatchObject({
    outcome: 'failed',
    reason: `Another package manager is running: perl, process ${pid}. Try again when it has finished.`,
  })
  await release()
  expect(apt.versionOf('muster-hello')).toBe('1.0')
})

test('an agent that stops or is killed during a scan leaves no apt-get running', async () => {
  const folder = givenPrograms({ 'apt-get': 'echo $$ >"$here/pid"; exec sleep 60' })
  const pidOf = () =>
    vi.waitFor(
      () => Number(/^\d+\n/.exec(readFileSync(join(folder, 'pid'), 'utf8'))?.[0] || Number.NaN),
      10_000,
    )
  const isGone = (pid: number) => vi.waitFor(() => expect(isAlive(pid)).toBe(false), 10_000)

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
