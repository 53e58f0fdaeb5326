import { getCheckSamples } from '@muster/contract/api/checks'
import { expect, test, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { queryKey } from '../../app/api/query-key.ts'
import { AGENT, givenChecks, testCheck, testSamples } from './test-checks.ts'

const AT = `/agents/${AGENT}?pane=checks&dialog=check-history&item=1`
const graph = () => page.getByRole('slider', { name: 'In use over time' })

test('the graph shows exact values by keyboard, and zooms', async () => {
  const { server, open } = await givenChecks({
    checks: [testCheck({ run_interval: 60 })],
    samples: testSamples([10, 20, 30.456]),
  })
  const { at } = await open(`${AT}&filter=1h`)
  await expect.element(graph()).toBeVisible()
  graph().element().focus()
  await userEvent.keyboard('{End}')
  await expect.element(graph()).toHaveAttribute('aria-valuetext', expect.stringMatching(/: 30.46 %$/))
  await userEvent.keyboard('{ArrowLeft}')
  await expect.element(graph()).toHaveAttribute('aria-valuetext', expect.stringMatching(/: 20 %$/))
  await userEvent.keyboard('+')
  await expect.poll(at).toMatch(/filter=\d+-\d+/)
  const asked = server.calls(getCheckSamples).at(-1)?.search
  expect(Number(asked?.get('to')) - Number(asked?.get('from'))).toBe(1800)
  await page.getByRole('button', { name: 'Back to now' }).click()
  await expect.poll(at).not.toContain('filter')
})

test('the selected time range has the initial focus', async () => {
  const { open } = await givenChecks({ checks: [testCheck({})], samples: testSamples([10, 20]) })
  const { at } = await open(`${AT}&filter=1h`)
  await expect.element(page.getByRole('radio', { name: '1 h' })).toHaveFocus()
  await userEvent.keyboard('{ArrowRight}')
  await expect.poll(at).not.toContain('filter=1h')
})

test('dragging over the graph zooms', async () => {
  const { open } = await givenChecks({ checks: [testCheck()], samples: testSamples([10, 20, 30]) })
  const { at } = await open(AT)
  await expect.element(graph()).toBeVisible()
  await userEvent.dragAndDrop(graph(), graph(), {
    sourcePosition: { x: 200, y: 100 },
    targetPosition: { x: 500, y: 100 },
  })
  await expect.poll(at).toMatch(/filter=\d+-\d+/)
})

test('ranges can be selected and are in the address', async () => {
  const { server, open } = await givenChecks({ checks: [testCheck()], samples: testSamples([10]) })
  const { at } = await open(AT)
  for (const [label, days] of [
    ['7 d', 7],
    ['30 d', 30],
    ['90 d', 90],
  ] as const) {
    await page.getByText(label, { exact: true }).click()
    await expect.poll(at).toContain(`filter=${days}d`)
    await expect
      .poll(() => {
        const asked = server.calls(getCheckSamples).at(-1)?.search
        return Number(asked?.get('to')) - Number(asked?.get('from'))
      })
      .toBe(days * 86_400)
  }
})

test('a new result extends the graph live', async () => {
  const { state, open } = await givenChecks({
    checks: [testCheck()],
    samples: testSamples([10]),
  })
  const { queryClient } = await open(AT)
  await expect.element(graph()).toHaveAttribute('aria-valuetext', expect.stringMatching(/: 10 %$/))
  state.samples = testSamples([10, 55])
  await queryClient.invalidateQueries({ queryKey: queryKey(getCheckSamples) })
  await expect.element(graph()).toHaveAttribute('aria-valuetext', expect.stringMatching(/: 55 %$/))
})

test('the numbers are a table, with minimum and maximum of means', async () => {
  const now = Math.floor(Date.now() / 1000)
  const samples = testSamples([], {
    resolution: 300,
    series: [{ name: 'percent', unit: '%', points: [[now - 600, 40, 30, 50]] }],
  })
  const { open } = await givenChecks({ checks: [testCheck()], samples })
  await open(AT)
  await page.getByRole('button', { name: 'Table' }).click()
  await expect.element(page.getByRole('row', { name: /40 % 30 % 50 %$/ })).toBeVisible()
})

test('all numbers are saved as CSV', async () => {
  const save = vi.spyOn(URL, 'createObjectURL')
  const { open } = await givenChecks({ checks: [testCheck()], samples: testSamples([12.5]) })
  await open(AT)
  await page.getByRole('button', { name: 'Download these numbers as CSV' }).click()
  const [file] = save.mock.calls[0] ?? []
  const text = file instanceof Blob ? await file.text() : ''
  expect(text).toMatch(
    /"Time","Measurement","Unit","Value","State"\r\n"\d{4}-.+Z","In use","%","12.5",""\r\n$/,
  )
  save.mockRestore()
})

test('several numbers are chosen from', async () => {
  const { points } = testSamples([5]).series[0]!
  const samples = testSamples([], {
    series: [
      { name: 'ms', unit: 'ms', points },
      { name: 'loss_percent', unit: '%', points },
    ],
  })
  const { open } = await givenChecks({ checks: [testCheck()], samples })
  const { at } = await open(AT)
  await expect.element(page.getByRole('slider', { name: 'Response time over time' })).toBeVisible()
  await page.getByRole('combobox', { name: 'Measurement' }).click()
  await page.getByRole('option', { name: 'Packets lost' }).click()
  await expect.element(page.getByRole('slider', { name: 'Packets lost over time' })).toBeVisible()
  expect(at()).toContain('loss_percent')
})

test('a check without runs shows a note', async () => {
  const { open } = await givenChecks({
    checks: [testCheck({}, { status: 'pending', last_run: null, more_info: '' })],
  })
  await open(AT)
  await expect.element(page.getByText(/alpha has not run this check yet/)).toBeVisible()
})

const SCRIPT = {
  check_type: 'script' as const,
  script: 7,
  script_args: [],
  env_vars: [],
  timeout: 90,
  info_return_codes: [],
  warning_return_codes: [],
  success_return_codes: [],
  metric_thresholds: [],
}

test('the graph names a metric with thresholds that has no values', async () => {
  const metric = { warning_threshold: null, error_threshold: 15, reverse: false }
  const metric_thresholds = ['temp', 'queue'].map((name) => ({ name, ...metric }))
  const { points = [] } = testSamples([1, 2]).series[0] ?? {}
  const { open } = await givenChecks({
    checks: [testCheck({ settings: { ...SCRIPT, metric_thresholds } })],
    samples: testSamples([], { series: [{ name: 'metric:queue', unit: '', points }] }),
  })
  await open(AT)
  await expect.element(page.getByText('No values in this time range: temp')).toBeVisible()
})

test('a script check shows its last output as text', async () => {
  const check = testCheck(
    { settings: SCRIPT },
    {
      stdout: '10 %\r\u001b[32mall\u001b[0m <b>well</b>\n',
      stderr: 'a warning',
      retcode: 3,
      execution_time: 1.25,
    },
  )
  const { open } = await givenChecks({ checks: [check] })
  await open(AT)
  const output = page.getByRole('region', { name: 'Output of the last run' })
  await expect.element(output).toHaveTextContent('all <b>well</b> a warning')
  await expect.element(page.getByText(/exit code 3 · 1.3 s/)).toBeVisible()
})

test('a value shows the state of its time: failing, in maintenance', async () => {
  const now = Math.floor(Date.now() / 1000)
  const { open } = await givenChecks({
    checks: [testCheck({ run_interval: 60 })],
    samples: testSamples([10, 95, 20], {
      failures: [{ from: now - 100, to: now - 45, severity: 'error' }],
      maintenance: [{ from: now - 100, to: null, reason: 'New disks' }],
    }),
  })
  await open(`${AT}&filter=1h`)
  await expect.element(graph()).toBeVisible()
  graph().element().focus()
  await userEvent.keyboard('{End}')
  await expect
    .element(graph())
    .toHaveAttribute('aria-valuetext', expect.stringMatching(/: 20 %, in maintenance$/))
  await userEvent.keyboard('{ArrowLeft}')
  await expect
    .element(graph())
    .toHaveAttribute('aria-valuetext', expect.stringMatching(/: 95 %, failing · error, in maintenance$/))
  await page.getByRole('button', { name: 'Table' }).click()
  await expect.element(page.getByText('failing · error, in maintenance')).toBeVisible()
})

test('the time range moves by buttons and by keyboard', async () => {
  const { server, open } = await givenChecks({ checks: [testCheck()], samples: testSamples([10, 20]) })
  const { at } = await open(`${AT}&filter=1h`)
  await page.getByRole('button', { name: 'Earlier' }).click()
  await expect.poll(at).toMatch(/filter=\d+-\d+/)
  const width = () => {
    const asked = server.calls(getCheckSamples).at(-1)?.search
    return Number(asked?.get('to')) - Number(asked?.get('from'))
  }
  expect(width()).toBe(3600)
  const before = at()
  graph().element().focus()
  await userEvent.keyboard('{Shift>}{ArrowLeft}{/Shift}')
  await expect.poll(at).not.toBe(before)
  expect(width()).toBe(3600)
})
