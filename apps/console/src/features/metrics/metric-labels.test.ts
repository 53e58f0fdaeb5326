import { expect, test } from 'vitest'
import { metricLabel, sortMetrics } from './metric-labels.ts'

test('the processor comes first, disks last by name', () => {
  const names = ['disk:/var', 'net_in', 'disk:/', 'uptime', 'cpu'].map((name) => ({ name }))
  expect(sortMetrics(names).map(({ name }) => name)).toEqual([
    'cpu',
    'net_in',
    'uptime',
    'disk:/',
    'disk:/var',
  ])
})

test('disks are called by the place where they are mounted', () => {
  expect(metricLabel('disk:C:\\')).toBe('Disk C:\\ in use')
  expect(metricLabel('cpu')).toBe('Processor')
})
