import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { givenChecks, resultsOf, script, setChecks, untilResult } from '../testing/given-checks.ts'
import { givenAgent, givenFolder } from '../testing/given.ts'
import { isAlive } from '../testing/is-alive.ts'
import { MetricLines } from './script.ts'

test('exit code, output and metrics of a script are reported', async () => {
  const { server } = await givenAgent()
  const body = 'echo "$1 $WHO"; echo oops >&2; echo "metric queue=12 jobs"; echo "metric temp=-3.5e1"; exit 2'
  setChecks(server, givenChecks(script(body, { args: ['hello'], env_vars: ['WHO=world'] })))
  expect((await untilResult(server, 1)).measured).toEqual({
    check_type: 'script',
    outcome: 'exited',
    retcode: 2,
    stdout: 'hello world\nmetric queue=12 jobs\nmetric temp=-3.5e1\n',
    stderr: 'oops\n',
    execution_time: expect.any(Number),
    metrics: [
      { name: 'queue', value: 12, unit: 'jobs' },
      { name: 'temp', value: -35, unit: '' },
    ],
  })
})

test('a decimal comma is read, and lines that are no metric are reported with their number', async () => {
  const { server } = await givenAgent()
  const body = 'echo "metric temp=21,5 C"; echo fine; echo "metric load=1,500"; echo "metric hum=NaN %"'
  setChecks(server, givenChecks(script(body)))
  expect((await untilResult(server, 1)).measured).toMatchObject({
    metrics: [{ name: 'temp', value: 21.5, unit: 'C' }],
    bad_metric_lines: [
      { line: 3, text: 'metric load=1,500' },
      { line: 4, text: 'metric hum=NaN %' },
    ],
  })
})

test('the unit of a metric may follow its number at once, and colours are ignored', async () => {
  const { server } = await givenAgent()
  const lines = ['used=21%', 'wait=1.5ms', 'room=-4°C', 'sum=1.234,5', 'hex=0x10', 'many=1e3', 'odd=5%x1']
  const body = `printf '\\033[32mmetric %s\\033[0m\\r\\n' ${lines.join(' ')}`
  setChecks(server, givenChecks(script(body)))
  expect((await untilResult(server, 1)).measured).toMatchObject({
    metrics: [
      { name: 'used', value: 21, unit: '%' },
      { name: 'wait', value: 1.5, unit: 'ms' },
      { name: 'room', value: -4, unit: '°C' },
      { name: 'many', value: 1000, unit: '' },
    ],
    bad_metric_lines: [
      { line: 4, text: 'metric sum=1.234,5' },
      { line: 5, text: 'metric hex=0x10' },
      { line: 7, text: 'metric odd=5%x1' },
    ],
  })
})

test('the first and the last part of a long output are kept, and metrics anywhere in it', async () => {
  const { server } = await givenAgent()
  const flood = 'head -c 30000000 /dev/zero | tr "\\0" x; echo'
  const body = `echo "metric first=1"; ${flood}; printf "end €"; (${flood}; echo "FATAL: disk failed") >&2; exit 3`
  setChecks(server, givenChecks(script(body)))
  const { measured } = await untilResult(server, 1)
  if (measured.check_type !== 'script') throw new Error('a script was measured')
  const leftOut = /^\[29,9\d\d,\d\d\d characters left out here\]$/m
  for (const text of [measured.stdout, measured.stderr]) {
    expect(text.length).toBeLessThanOrEqual(10_000)
    expect(text.length).toBeGreaterThan(9900)
    expect(text).toMatch(leftOut)
  }
  expect(measured.stdout).toMatch(/^metric first=1\nx{4000}.*\nx{4000}x*\nend €$/s)
  expect(measured.stderr).toMatch(/^x{4000}.*\nx{4000}x*\nFATAL: disk failed\n$/s)
  expect(measured.metrics).toEqual([{ name: 'first', value: 1, unit: '' }])
})

test('a script that exceeds its time limit is ended with all its processes', async () => {
  const { server } = await givenAgent()
  const pidFile = join(givenFolder(), 'pid')
  const body = `setsid sleep 300 & echo $! > ${pidFile}; echo begun; sleep 300`
  setChecks(server, givenChecks(script(body, { timeout_seconds: 1 })))
  const { measured } = await untilResult(server, 1)
  expect(measured).toMatchObject({
    outcome: 'timed_out',
    retcode: null,
    stdout: 'begun\n',
    stderr: 'Timed out after 1 s.',
  })
  expect(existsSync(pidFile)).toBe(true)
  expect(isAlive(Number(readFileSync(pidFile, 'utf8')))).toBe(false)
})

test('a script that cannot run here reports the reason', async () => {
  const { server } = await givenAgent()
  setChecks(
    server,
    givenChecks(
      script('', { interpreter: 'nushell' }),
      script('true', { env_vars: ['no value'] }),
      script('kill -9 $$'),
      script('#!/no/such/program\ntrue'),
    ),
  )
  const [first, second, third, fourth] = await Promise.all([1, 2, 3, 4].map((id) => untilResult(server, id)))
  expect(first?.measured).toEqual({
    check_type: 'unmeasurable',
    reason: 'Nushell is not installed on this machine.',
    not_measured: true,
  })
  expect(second?.measured).toMatchObject({ reason: expect.stringContaining('Use NAME=value') })
  expect(third?.measured).toMatchObject({
    outcome: 'failed',
    retcode: null,
    stderr: 'The process was killed by signal SIGKILL.',
  })
  expect(fourth?.measured).toMatchObject({ reason: expect.stringContaining('/no/such/program') })
})

test('at most eight scripts run at once, and none twice', async () => {
  const { server } = await givenAgent()
  const log = join(givenFolder(), 'log')
  const body = `echo + >> ${log}; sleep 0.4; echo - >> ${log}`
  setChecks(server, givenChecks(...Array.from({ length: 20 }, () => script(body))))
  for (let times = 0; times < 5; times += 1) server.command(server.sign('run-checks', { ids: null }))
  await Promise.all(Array.from({ length: 20 }, (_, index) => untilResult(server, index + 1)))
  let running = 0
  let most = 0
  for (const mark of readFileSync(log, 'utf8').trim().split('\n')) {
    running += mark === '+' ? 1 : -1
    most = Math.max(most, running)
  }
  expect(most).toBeLessThanOrEqual(8)
  expect(most).toBeGreaterThan(2)
  expect(resultsOf(server)).toHaveLength(20)
})

const metric = (name: string, value: number, unit = '') => ({ name, value, unit })
const bad = (line: number, text: string) => ({ line, text })
test.each([
  ['metric a=1', [metric('a', 1)]],
  ['  metric a.b-c_d=-0.5 °C  ', [metric('a.b-c_d', -0.5, '°C')]],
  ['metric a=.5 %\r\nmetric b=+2e3', [metric('a', 0.5, '%'), metric('b', 2000)]],
  ['metric a=1\nmetric a=2', [metric('a', 2)]],
  [
    'metric a=1,5\nmetric b=-,5e1\nmetric c=1234,567',
    [metric('a', 1.5), metric('b', -5), metric('c', 1234.567)],
  ],
  ['metric a=0,125', [metric('a', 0.125)]],
  ['metric a=1,500 C', [], [bad(1, 'metric a=1,500 C')]],
  ['metric a=-123,456e2', [], [bad(1, 'metric a=-123,456e2')]],
  ['metric a=1.234,5', [], [bad(1, 'metric a=1.234,5')]],
  ['metric a=1,234,567', [], [bad(1, 'metric a=1,234,567')]],
  ['metric a=1e999', [], [bad(1, 'metric a=1e999')]],
  ['metric a=NaN\nmetric =1', [], [bad(1, 'metric a=NaN'), bad(2, 'metric =1')]],
  ['metric a\nmetric a=0x10', [], [bad(1, 'metric a'), bad(2, 'metric a=0x10')]],
  ['\nmetric a=1 two units', [], [bad(2, 'metric a=1 two units')]],
  ['metric a=21C\nok', [metric('a', 21, 'C')]],
  ['metric a=1\nmetric a=1,500', [], [bad(2, 'metric a=1,500')]],
  ['metric a=1,500\nmetric a=1', [metric('a', 1)], [bad(1, 'metric a=1,500')]],
  [`metric ${'n'.repeat(65)}=1`, [], [bad(1, `metric ${'n'.repeat(65)}=1`)]],
  [`metric a=1 ${'u'.repeat(17)}`, [], [bad(1, `metric a=1 ${'u'.repeat(17)}`)]],
  [`metric a=1 ${'u'.repeat(500)}`, [], [bad(1, `metric a=1 ${'u'.repeat(189)}`)]],
  [`${'x'.repeat(500)}\nmetric a=1`, [metric('a', 1)]],
  ['the metric a=1', []],
  ['metric a=1\0', [metric('a', 1)]],
])('the metrics of %j', (text, metrics, bad_metric_lines?: { line: number; text: string }[]) => {
  for (const size of [1, 7, 1000]) {
    const lines = new MetricLines()
    for (let start = 0; start < text.length; start += size) lines.take(text.slice(start, start + size))
    expect(lines.end()).toEqual({ metrics, ...(bad_metric_lines && { bad_metric_lines }) })
  }
})

test('at most twenty metrics and five lines that are none are reported', () => {
  const lines = new MetricLines()
  for (let index = 0; index < 30; index += 1) lines.take(`metric m${index}=${index}\nmetric b${index}=?\n`)
  lines.take('metric m3=99\n')
  const { metrics, bad_metric_lines } = lines.end()
  expect(metrics).toHaveLength(20)
  expect(metrics[3]).toEqual({ name: 'm3', value: 99, unit: '' })
  expect(bad_metric_lines?.map(({ line }) => line)).toEqual([2, 4, 6, 8, 10])
})

test('secrets are hidden in the output of a check, and metrics beside them still count', async () => {
  const { server } = await givenAgent()
  const body = 'echo "key $1"; echo "$1" >&2; printf "metric load=5"'
  setChecks(server, givenChecks(script(body, { args: ['5ecret'], secrets: ['5ecret'] })))
  expect((await untilResult(server, 1)).measured).toMatchObject({
    stdout: 'key ••••••\nmetric load=5',
    stderr: '••••••\n',
    metrics: [{ name: 'load', value: 5, unit: '' }],
  })
})

test('a check whose variables have no value reports that instead of running', async () => {
  const { server } = await givenAgent()
  setChecks(server, givenChecks(script('touch /nowhere', { problem: '{{global.X}} has no value.' })))
  expect((await untilResult(server, 1)).measured).toEqual({
    check_type: 'unmeasurable',
    reason: '{{global.X}} has no value.',
  })
})
