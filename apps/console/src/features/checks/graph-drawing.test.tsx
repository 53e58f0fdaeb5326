import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { AGENT, givenChecks, testCheck, testSamples } from './test-checks.ts'

const AT = `/agents/${AGENT}?pane=checks&dialog=check-history&item=1`

const graph = page.getByRole('slider', { name: 'In use over time' })

/** The most frequent colour in a row of pixels of the graph, between two shares of its width. */
function paintedAt(height: number, [from, to]: [number, number]): string {
  const over = graph.element().querySelector('.u-over')!.getBoundingClientRect()
  const canvas = graph.element().querySelector('canvas')!
  const place = canvas.getBoundingClientRect()
  const scale = canvas.width / place.width
  const left = Math.round((over.left - place.left + over.width * from) * scale)
  const width = Math.round(over.width * (to - from) * scale)
  const top = Math.round((over.top - place.top + height * over.height) * scale)
  const { data } = canvas.getContext('2d')!.getImageData(left, top, width, 1)
  const counts = new Map<string, number>()
  for (let at = 0; at < data.length; at += 4) {
    const color = data.slice(at, at + 4).join(',')
    counts.set(color, (counts.get(color) ?? 0) + 1)
  }
  return [...counts].toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? ''
}
const NOTHING = '0,0,0,0'

test('threshold bands, failures and maintenance are drawn on the graph', async () => {
  const now = Math.floor(Date.now() / 1000)
  const { open } = await givenChecks({
    checks: [testCheck({ run_interval: 60 })],
    samples: testSamples([1, 1, 1], {
      failures: [{ from: now - 2400, to: now - 1200, severity: 'error' }],
      maintenance: [{ from: now - 1000, to: now - 200, reason: '' }],
    }),
  })
  await open(`${AT}&filter=1h`)
  // The thresholds are 70 and 90 %: the top is 100 %. The failure lies in the second third, maintenance in the last.
  const calm: [number, number] = [0.02, 0.3]
  // Its code is loaded with the first graph.
  await expect.poll(() => graph.query()?.querySelector('.u-over') ?? null).not.toBeNull()
  await expect.poll(() => paintedAt(0.05, calm)).not.toBe(NOTHING)
  const [error, warning, fine] = [paintedAt(0.05, calm), paintedAt(0.23, calm), paintedAt(0.55, calm)]
  expect(fine).toBe(NOTHING)
  expect(new Set([error, warning, fine]).size).toBe(3)
  const failing = paintedAt(0.55, [0.36, 0.64])
  expect(failing).not.toBe(NOTHING)
  const inMaintenance = paintedAt(0.003, [0.75, 0.92])
  expect([failing, error]).not.toContain(inMaintenance)
  expect(inMaintenance).not.toBe(paintedAt(0.003, calm))
})

test('the tooltip under the mouse says the exact value with its moment', async () => {
  const { open } = await givenChecks({
    checks: [testCheck({ run_interval: 60 })],
    samples: testSamples([10, 20, 30.456]),
  })
  await open(`${AT}&filter=1h`)
  await expect.poll(() => graph.query()?.querySelector('.u-over') ?? null).not.toBeNull()
  const over = graph.element().querySelector('.u-over')!
  const left = over.getBoundingClientRect().left - graph.element().getBoundingClientRect().left
  await graph.hover({ position: { x: left + over.clientWidth - 4, y: 60 } })
  await expect.element(page.getByText(/^\w+, \w+ \d+, \d\d:\d\d:\d\d: 30\.46 %$/)).toBeVisible()
})
