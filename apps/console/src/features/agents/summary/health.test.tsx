import type { AgentDetail } from '@muster/contract/api/agents'
import { getMachineMetrics, watchMachineMetrics } from '@muster/contract/api/metrics'
import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { answer } from '../../../testing/test-server.ts'
import { AGENT, givenChecks } from '../../checks/test-checks.ts'
import { linePath, peakOf } from './small-chart.ts'

type Series = { name: string; unit: string; values: number[] }

/** A machine with these values, one each minute, the newest half a minute before the asked end. */
async function givenHealth(series: readonly Series[], agent: Partial<AgentDetail> = {}) {
  const given = await givenChecks({ agent })
  given.server.on(getMachineMetrics, ({ search }) => {
    const end = Number(search.get('to')) - 30
    return answer(getMachineMetrics, {
      resolution: 0,
      series: series.map(({ name, unit, values }) => ({
        name,
        unit,
        points: values.map((value, index): [number, number, number, number] => [
          end - (values.length - 1 - index) * 60,
          value,
          value,
          value,
        ]),
      })),
    })
  })
  const state = { samples: [] as { at: number; values: Record<string, number> }[] }
  given.server.on(watchMachineMetrics, () =>
    answer(watchMachineMetrics, { connected: true, samples: state.samples, next: 1 }),
  )
  await given.open(`/agents/${AGENT}`)
  return { ...given, state }
}

const section = () => page.getByRole('region', { name: 'Health' })
const chart = (name: RegExp) => section().getByRole('button', { name })

test('the last hour is shown with the value of now and the peak', async () => {
  await givenHealth(
    [
      { name: 'cpu', unit: '%', values: [20, 74, 23] },
      { name: 'memory', unit: '%', values: [50, 50, 62.4] },
      { name: 'disk_read', unit: 'B/s', values: [0, 0, 3.25 * 1024 ** 2] },
      { name: 'disk_write', unit: 'B/s', values: [0, 0, 1024 ** 2] },
    ],
    { ram_bytes: 7.68 * 1024 ** 3 },
  )
  await expect.element(chart(/^CPU 23 % .*peak 74 % at \d\d:\d\d$/)).toBeVisible()
  await expect.element(chart(/^Memory 62 % .*4.79 GB of 7.68 GB$/)).toBeVisible()
  await expect.element(chart(/^Disk 4.25 MB\/s .*3.25 MB read, 1 MB written$/)).toBeVisible()
  // A metric that the system does not report has no chart.
  await expect.element(chart(/^Load/)).not.toBeInTheDocument()
  await chart(/^CPU/).click()
  await expect.element(page.getByRole('tab', { name: 'Metrics', selected: true })).toBeVisible()
})

test('live values move the charts without a new request of the hour', async () => {
  const { state, server } = await givenHealth([{ name: 'cpu', unit: '%', values: [20, 23] }])
  await expect.element(chart(/^CPU 23 %/)).toBeVisible()
  state.samples = [{ at: Date.now() / 1000, values: { cpu: 91 } }]
  await expect.element(chart(/^CPU 91 %/)).toBeVisible()
  expect(server.calls(getMachineMetrics)).toHaveLength(1)
})

test('an offline machine shows the hour before it went, and the age of the last value', async () => {
  const lastSeen = new Date(Date.now() - 3 * 3_600_000).toISOString()
  const { server } = await givenHealth([{ name: 'cpu', unit: '%', values: [20, 23] }], {
    connected: false,
    last_seen: lastSeen,
  })
  await expect.element(section().getByText('last value 3 hours ago')).toBeVisible()
  await expect.element(chart(/^CPU 23 %/)).toBeVisible()
  const [asked] = server.calls(getMachineMetrics)
  expect(Number(asked?.search.get('to'))).toBe(Math.ceil(Date.parse(lastSeen) / 1000))
  expect(server.calls(watchMachineMetrics)).toEqual([])
})

test('without values there are no charts', async () => {
  await givenHealth([])
  await expect.element(section().getByText('No values in the last hour.')).toBeVisible()
})

test('a line has gaps where the machine was silent, and stays in its frame', () => {
  const point = (at: number, value: number) => [at, value, value, value] as const
  const range = { from: 0, to: 1620 }
  const points = [point(0, 0), point(60, 100), point(120, 200), point(1500, 50), point(1560, 50)]
  expect(linePath(points, range, 100)).toBe('M0 43L6 1L12 1M150 22L156 22')
  expect(linePath([], range, 100)).toBe('')
  expect(peakOf(points)).toEqual({ at: 120, value: 200 })
})
