import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { CheckDefinition } from '@muster/contract/agent/checks'
import { expect, onTestFinished, test } from 'vitest'
import { Problems } from '../status-file.ts'
import { KeyValueStore, State } from '../state/state.ts'
import {
  cpuload,
  givenChecks,
  memory,
  resultsOf,
  script,
  setChecks,
  untilResult,
  wantedOf,
} from '../testing/given-checks.ts'
import { givenAgent, givenFolder, givenLog } from '../testing/given.ts'
import type { TestServer } from '../testing/test-server.ts'

const missing = (server: TestServer) =>
  server.reports.flatMap((report) => (report.kind === 'checks-missing' ? [report] : []))

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

test('a new check is measured and reported soon', async () => {
  const { server } = await givenAgent()
  setChecks(server, givenChecks(cpuload, memory, { check_type: 'diskspace', settings: { disk: '/' } }))
  await Promise.all([1, 2, 3].map((id) => untilResult(server, id)))
  const [cpu, used, disk] = [1, 2, 3].map((id) => resultsOf(server, id)[0])
  expect(cpu).toMatchObject({ revision: 'r1', measured: { check_type: 'cpuload' } })
  expect(used?.measured).toMatchObject({ check_type: 'memory', percent: expect.any(Number) })
  expect(disk?.measured).toMatchObject({ check_type: 'diskspace', exists: true })
})

test('what checks lack is a problem of the machine, until they are measured or deleted', async () => {
  const { server } = await givenAgent()
  const events = (event_id: number) => ({
    check_type: 'eventlog' as const,
    settings: {
      log_name: 'System' as const,
      event_id,
      event_id_is_wildcard: false,
      event_type: 'ERROR' as const,
      event_source: null,
      event_message: null,
      search_last_days: 1,
    },
  })
  const checks = givenChecks(events(1), events(2))
  setChecks(server, checks)
  const lack = await untilResult(server, 2)
  expect(lack.measured).toMatchObject({ check_type: 'unmeasurable', not_measured: true })
  const problems = () =>
    server.reports.findLast((report) => report.kind === 'facts' && 'problems' in report.facts)
  const lists = (count: number) =>
    server.until(() => {
      const found = problems()
      const listed = found?.kind === 'facts' ? (found.facts.problems ?? []) : []
      const lacking = listed.filter((problem) => problem.startsWith('Checks are not measured: '))
      return lacking.length === count ? lacking : undefined
    })
  expect(await lists(1)).toEqual([
    expect.stringMatching(/^Checks are not measured: Only Windows has an event log/),
  ])
  setChecks(server, [], { version: 2, wanted: [] })
  await lists(0)
})

test('a mount is measured while it exists, and fails when it does not', async () => {
  const { server } = await givenAgent()
  const { folder, unmount } = givenMount()
  setChecks(server, givenChecks({ check_type: 'diskspace', settings: { disk: `${folder}/` } }))
  const { measured } = await untilResult(server, 1)
  expect(measured).toMatchObject({
    exists: true,
    total_bytes: 1024 ** 2,
    used_bytes: 0,
    free_bytes: 1024 ** 2,
    inodes_total: 100,
  })
  execFileSync('dd', ['if=/dev/zero', `of=${folder}/fill`, 'bs=1k', 'count=768'], { stdio: 'ignore' })
  server.command(server.sign('run-checks', { ids: [1] }))
  expect((await untilResult(server, 1, 2)).measured).toMatchObject({
    used_bytes: 768 * 1024,
    free_bytes: 256 * 1024,
    inodes_free: 98,
  })
  unmount()
  server.command(server.sign('run-checks', { ids: null }))
  expect((await untilResult(server, 1, 3)).measured).toMatchObject({ exists: false, total_bytes: 0 })
})

test('missing definitions are requested once, and the version counts when all have arrived', async () => {
  const { server, restart } = await givenAgent()
  expect(server.answers.at(-1)?.checks_version).toBe(0)
  const [first, second] = givenChecks(memory, memory)
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

test('an older version is ignored over the same link, and accepted over a new one', async () => {
  const { server } = await givenAgent()
  setChecks(server, givenChecks(memory), { version: 9 })
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
  setChecks(server, givenChecks(script(`touch ${sign}; sleep 20; echo old`)))
  await server.until(() => existsSync(sign))
  const [changed] = givenChecks(script('echo new'))
  setChecks(server, [{ ...changed!, revision: 'r2' }], { version: 2 }) // One was just made.
  expect(await untilResult(server, 1)).toMatchObject({
    revision: 'r2',
    measured: { outcome: 'exited', retcode: 0, stdout: 'new\n' },
  })
  expect(resultsOf(server, 1)).toHaveLength(1)
})

test('unsupported definitions are reported and do not affect others', async () => {
  const { server } = await givenAgent()
  const odd = [
    { id: 2, revision: 'r1', run_interval_seconds: 60, check_type: 'weather', settings: {} },
    { id: 3, revision: 'r1', run_interval_seconds: -7, check_type: 'ping', settings: { ip: '-f' } },
    { nothing: 'at all' },
    null,
  ]
  const wanted = [1, 2, 3, 4].map((id) => ({ id, revision: 'r1' }))
  const put = [...odd, ...givenChecks(memory)] as CheckDefinition[] // A server of tomorrow.
  server.command(server.sign('set-checks', { version: 1, wanted, put }))
  await Promise.all([1, 2, 3].map((id) => untilResult(server, id)))
  expect(resultsOf(server, 1)[0]?.measured.check_type).toBe('memory')
  expect(resultsOf(server, 2)[0]?.measured).toMatchObject({
    check_type: 'unmeasurable',
    reason: expect.stringContaining('does not support this check (weather)'),
  })
  expect(resultsOf(server, 3)[0]?.measured.check_type).toBe('unmeasurable')
  expect(await server.until(() => missing(server)[0])).toMatchObject({ ids: [4] })
})

test('without a server, and after a restart without one, checks continue and no result is lost', async () => {
  const { server, port, folder, agent, start } = await givenAgent()
  const checks = givenChecks({ ...memory, run_interval_seconds: 10 }, script('echo still here'))
  setChecks(server, checks)
  await Promise.all([untilResult(server, 1), untilResult(server, 2)])
  const next = server.successor()
  onTestFinished(() => next[Symbol.asyncDispose]())
  await server[Symbol.asyncDispose]()
  await agent[Symbol.asyncDispose]()
  const again = await start()
  await expect.poll(() => again.outbox.bytes).toBeGreaterThan(0)
  await next.listen(port)
  await untilResult(next, 1)
  expect(next.answers[0]?.checks_version).toBe(1)
  expect(existsSync(join(folder, 'state.db'))).toBe(true)
})

test('dropped results are reported once, when the link is back', async () => {
  const { server, folder, agent, lines, start } = await givenAgent()
  await agent[Symbol.asyncDispose]()
  const { log } = givenLog()
  const state = new State({ folder, log, problems: new Problems() })
  const dropped = { count: 12, from: '2026-03-01T00:00:00.000Z', to: '2026-03-02T00:00:00.000Z' }
  new KeyValueStore(state).save('checks_dropped', JSON.stringify(dropped))
  state[Symbol.dispose]()
  await start()
  const reported = () => server.reports.filter(({ kind }) => kind === 'checks-dropped')
  await server.until(() => reported().length > 0)
  expect(reported()).toEqual([{ kind: 'checks-dropped', ...dropped }])
  server.socket?.terminate()
  await server.untilUp()
  server.runShell(1, 'true')
  await server.result(1)
  expect(reported()).toHaveLength(1)
  expect(lines.some(({ level }) => level === 'error')).toBe(false)
})
