import { execFileSync } from 'node:child_process'
import type { CheckDefinition, CheckResult } from '@muster/contract/agent/checks'
import type { CommandInput } from '@muster/contract/agent/commands'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { givenAgent, givenFolder } from '../testing/given.ts'
import type { TestServer } from '../testing/test-server.ts'

vi.setConfig({ testTimeout: 60_000 })

type Bare = CheckDefinition extends infer One
  ? One extends CheckDefinition
    ? Omit<One, 'id' | 'revision' | 'run_interval_seconds'>
    : never
  : never

type ScriptSettings = Extract<CheckDefinition, { check_type: 'script' }>['settings']

/** Definitions with ids from 1 on. */
function given(...checks: (Bare & { run_interval_seconds?: number })[]): CheckDefinition[] {
  return checks.map(
    (check, index) =>
      // Its parts are those of a definition; TypeScript does not put a union back together.
      ({ run_interval_seconds: 86_400, revision: 'r1', ...check, id: index + 1 }) as CheckDefinition,
  )
}

function setChecks(
  server: TestServer,
  put: CheckDefinition[],
  more: Partial<CommandInput<'set-checks'>> = {},
) {
  server.command(server.sign('set-checks', { version: 1, wanted: wantedOf(put), put, ...more }))
}

const wantedOf = (checks: CheckDefinition[]) => checks.map(({ id, revision }) => ({ id, revision }))

function results(server: TestServer, checkId?: number): CheckResult[] {
  return server.reports
    .flatMap((report) => (report.kind === 'checks' ? report.results : []))
    .filter(({ check_id }) => checkId === undefined || check_id === checkId)
}

const untilResult = (server: TestServer, checkId: number, count = 1) =>
  server.until(() => results(server, checkId)[count - 1])
const missing = (server: TestServer) =>
  server.reports.flatMap((report) => (report.kind === 'checks-missing' ? [report] : []))

const cpuload = { check_type: 'cpuload', settings: {} } as const
const memory = { check_type: 'memory', settings: {} } as const
const script = (body: string, more: Partial<ScriptSettings> = {}) => ({
  check_type: 'script' as const,
  settings: { interpreter: 'shell' as const, body, args: [], env_vars: [], timeout_seconds: 30, ...more },
})

function givenMount(): { folder: string; unmount: () => void } {
  const folder = givenFolder()
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m,nr_inodes=100', 'none', folder])
  let isMounted = true
  const unmount = () => {
    if (isMounted) execFileSync('umount', [folder])
    isMounted = false
  }
  onTestFinished(unmount)
  return { folder, unmount }
}

test('what a server wants is measured within seconds and told in one batch', async () => {
  const { server } = await givenAgent()
  const started = Date.now()
  setChecks(server, given(cpuload, memory, { check_type: 'diskspace', settings: { disk: '/' } }))
  await Promise.all([1, 2, 3].map((id) => untilResult(server, id)))
  expect(Date.now() - started).toBeLessThan(8000)
  const [cpu, used, disk] = [1, 2, 3].map((id) => results(server, id)[0])
  expect(cpu).toMatchObject({ revision: 'r1', measured: { check_type: 'cpuload' } })
  expect(used?.measured).toMatchObject({ check_type: 'memory', percent: expect.any(Number) })
  expect(disk?.measured).toMatchObject({ check_type: 'diskspace', exists: true })
  expect(Math.abs(Date.parse(used?.at ?? '') - Date.now())).toBeLessThan(10_000)
})

test('a mount is measured while it is there, and missed when it is not', async () => {
  const { server } = await givenAgent()
  const { folder, unmount } = givenMount()
  setChecks(server, given({ check_type: 'diskspace', settings: { disk: `${folder}/` } }))
  const { measured } = await untilResult(server, 1)
  expect(measured).toMatchObject({
    exists: true,
    total_bytes: 1024 ** 2,
    free_bytes: 1024 ** 2,
    inodes_total: 100,
  })
  execFileSync('dd', ['if=/dev/zero', `of=${folder}/fill`, 'bs=1k', 'count=768'], { stdio: 'ignore' })
  server.command(server.sign('run-checks', { ids: [1] }))
  expect((await untilResult(server, 1, 2)).measured).toMatchObject({
    free_bytes: 256 * 1024,
    inodes_free: 98,
  })
  unmount()
  server.command(server.sign('run-checks', { ids: null }))
  expect((await untilResult(server, 1, 3)).measured).toMatchObject({ exists: false, total_bytes: 0 })
})

test('what is lacking is asked for, once, and the version counts when all is there', async () => {
  const { server, restart } = await givenAgent()
  expect(server.answers.at(-1)?.checks_version).toBe(0)
  const [first, second] = given(memory, memory)
  const wanted = wantedOf([first!, second!]) // Two were just made.
  setChecks(server, [first!], { version: 5, wanted }) // As above.
  await server.until(() => missing(server)[0])
  expect(missing(server)).toEqual([{ kind: 'checks-missing', version: 5, ids: [2] }])
  await restart()
  expect(server.answers.at(-1)?.checks_version).toBe(0)
  setChecks(server, [second!], { version: 5, wanted }) // As above.
  await untilResult(server, 2)
  await restart()
  expect(server.answers.at(-1)?.checks_version).toBe(5)
  expect(missing(server)).toHaveLength(1)
})

test('an older version over the same link is ignored, over a new link it counts', async () => {
  const { server } = await givenAgent()
  setChecks(server, given(memory), { version: 9 })
  setChecks(server, [], { version: 8 })
  await untilResult(server, 1)
  server.socket?.terminate()
  await server.untilUp()
  expect(server.answers.at(-1)?.checks_version).toBe(9)
  setChecks(server, [], { version: 3 })
  server.socket?.terminate()
  await server.untilUp()
  expect(server.answers.at(-1)?.checks_version).toBe(3)
})

test('a check that is removed or changed while it runs leaves no result', async () => {
  const { server } = await givenAgent()
  const sign = join(givenFolder(), 'begun')
  setChecks(server, given(script(`touch ${sign}; sleep 20; echo old`)))
  await server.until(() => existsSync(sign))
  const [changed] = given(script('echo new'))
  setChecks(server, [{ ...changed!, revision: 'r2' }], { version: 2 }) // One was just made.
  expect(await untilResult(server, 1)).toMatchObject({
    revision: 'r2',
    measured: { outcome: 'exited', retcode: 0, stdout: 'new\n' },
  })
  expect(results(server, 1)).toHaveLength(1)
})

test('definitions that are not understood say so and spoil no other', async () => {
  const { server } = await givenAgent()
  const odd = [
    { id: 2, revision: 'r1', run_interval_seconds: 60, check_type: 'weather', settings: {} },
    { id: 3, revision: 'r1', run_interval_seconds: -7, check_type: 'ping', settings: { ip: '-f' } },
    { nothing: 'at all' },
    null,
  ]
  const wanted = [1, 2, 3, 4].map((id) => ({ id, revision: 'r1' }))
  const put = [...odd, ...given(memory)] as CheckDefinition[] // A server of tomorrow.
  server.command(server.sign('set-checks', { version: 1, wanted, put }))
  await Promise.all([1, 2, 3].map((id) => untilResult(server, id)))
  expect(results(server, 1)[0]?.measured.check_type).toBe('memory')
  expect(results(server, 2)[0]?.measured).toMatchObject({
    check_type: 'unmeasurable',
    reason: expect.stringContaining('does not understand this check (weather)'),
  })
  expect(results(server, 3)[0]?.measured.check_type).toBe('unmeasurable')
  expect(await server.until(() => missing(server)[0])).toMatchObject({ ids: [4] })
})
