import type { Alert } from '@muster/contract/api/alerts'
import { expect, test } from 'vitest'
import { findNews } from './find-news.ts'

const alert = (id: number, more: Partial<Alert> = {}) =>
  // Only what decides.
  ({ id, severity: 'error', state: 'open', alert_time: `2026-11-21T10:00:${10 + id}.000Z`, ...more }) as Alert

test('alerts present at opening are no news', () => {
  expect(findNews([alert(1)], undefined)).toEqual({ news: [], known: new Set([1]) })
})

test('a new error is news once; a known one that returns is not', () => {
  const first = findNews([alert(2), alert(1)], new Set([1]))
  expect(first.news.map(({ id }) => id)).toEqual([2])
  const gone = findNews([alert(1)], first.known)
  expect(findNews([alert(2), alert(1)], gone.known).news).toEqual([])
})

test('info alerts do not notify, and a burst is cut to the five newest', () => {
  expect(findNews([alert(3, { severity: 'info' })], new Set()).news).toEqual([])
  const burst = [1, 2, 3, 4, 5, 6, 7].map((id) => alert(id))
  expect(findNews(burst, new Set()).news.map(({ id }) => id)).toEqual([7, 6, 5, 4, 3])
})
