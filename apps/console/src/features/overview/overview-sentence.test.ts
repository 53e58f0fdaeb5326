import { expect, test } from 'vitest'
import { describeDay, describeHealthy, listProblems } from './overview-sentence.ts'
import { HEALTHY, testCause, TROUBLE } from './test-overview.ts'

const NOW = new Date(2026, 10, 24, 9, 41).getTime()
const sentence = (overview: typeof HEALTHY) =>
  listProblems(overview, NOW)
    .map(({ count, text }) => `${count} ${text}`)
    .join(', ')

test.each([
  ['today', new Date(2026, 10, 24, 23, 59)],
  ['tomorrow', new Date(2026, 10, 25, 0, 1)],
  ['in 2 days', new Date(2026, 10, 26, 23, 0)],
  ['today', new Date(2026, 10, 23, 9, 0)],
])('%s', (text, at) => {
  expect(describeDay(at.getTime(), NOW)).toBe(text)
})

test('overdue machines come first, then the largest cause, then disks', () => {
  const disk = { ...TROUBLE.disks.shown[0]!, full_at: new Date(2026, 10, 25, 12).toISOString() }
  expect(sentence({ ...TROUBLE, disks: { total: 1, shown: [disk] } })).toBe(
    '6 machines overdue, 41 machines failing Service spooler, 1 disk full tomorrow',
  )
})

test('a long name is cut, and warnings have the last place', () => {
  const cause = testCause({ name: 'x'.repeat(200), machines: 1 })
  const causes = { ...TROUBLE.causes!, total: 1, unacknowledged: 1, shown: [cause] }
  const overview = { ...TROUBLE, causes, disks: HEALTHY.disks }
  expect(sentence(overview)).toBe(
    `6 machines overdue, 1 machine failing ${'x'.repeat(60)}…, 31 machines with warnings`,
  )
})

test('a message is quoted', () => {
  const shown = [testCause({ kind: 'custom', name: 'The backup is late', machines: 1 })]
  const overview = {
    ...TROUBLE,
    causes: { ...TROUBLE.causes!, total: 1, unacknowledged: 1, shown },
    disks: HEALTHY.disks,
  }
  expect(sentence(overview)).toContain('1 machine with "The backup is late"')
})

test('failing checks without an alert are counted', () => {
  expect(sentence({ ...TROUBLE, causes: null, disks: HEALTHY.disks })).toContain(
    '52 machines with failing checks',
  )
})

test('a fleet with offline machines is not called healthy', () => {
  expect(describeHealthy(HEALTHY)).toBe('All 902 machines are healthy.')
  const counts = { ...HEALTHY.counts, healthy: 900, offline: 2 }
  expect(describeHealthy({ ...HEALTHY, counts })).toBe('No problems on 902 machines.')
  const unchecked = { ...HEALTHY.counts, healthy: 900, unchecked: 2 }
  expect(describeHealthy({ ...HEALTHY, counts: unchecked })).toBe('No problems on 900 machines.')
})
