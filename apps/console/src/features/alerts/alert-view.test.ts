import { expect, test } from 'vitest'
import {
  START_VIEW,
  isNarrowed,
  readAlertView,
  toAlertsRequest,
  toCountsRequest,
  writeAlertView,
} from './alert-view.ts'

test('a view is the same after a round trip through the address', () => {
  const view = {
    clients: [1, 3],
    severities: ['warning', 'error'],
    types: ['check'],
    state: 'resolved',
    days: 7,
    search: 'disk',
  } as const
  expect(readAlertView(writeAlertView(view))).toEqual(view)
})

test('the default view leaves the address empty', () => {
  expect(Object.values(writeAlertView(START_VIEW)).every((value) => value === undefined)).toBe(true)
  expect(readAlertView({})).toEqual(START_VIEW)
})

test.each([
  { clients: 'x,-1,0,1.5' },
  { severity: 'terrible' },
  { type: 'check2' },
  { days: '-3' },
  { days: '100000' },
  { days: 'soon' },
])('unknown values count as absent: %j', (address) => {
  expect(readAlertView(address)).toEqual(START_VIEW)
})

test('the default view requests open alerts', () => {
  expect(toAlertsRequest(START_VIEW, undefined, 200)).toEqual({
    stateFilter: 'open',
    page: 1,
    page_size: 200,
  })
  expect(isNarrowed(START_VIEW)).toBe(false)
})

test('days apply only to resolved alerts, and 0 means all', () => {
  const days = (view: Partial<typeof START_VIEW>) =>
    toAlertsRequest({ ...START_VIEW, ...view }, undefined, 200).timeFilter
  expect(days({ days: 7 })).toBeUndefined()
  expect(days({ days: 7, state: 'resolved' })).toBe(7)
  expect(days({ days: 0, state: 'resolved' })).toBeUndefined()
})

test('alerts of one machine are requested by its id', () => {
  expect(toAlertsRequest({ ...START_VIEW, state: 'suppressed' }, 'abcdefgh12', 50)).toEqual({
    agentFilter: ['abcdefgh12'],
    stateFilter: 'suppressed',
    page: 1,
    page_size: 50,
  })
})

test('counts have the filter and the days, but no state', () => {
  const view = { ...START_VIEW, clients: [3], state: 'snoozed' } as const
  expect(toCountsRequest(view, undefined)).toEqual({ clientFilter: [3], timeFilter: 30 })
  expect(toCountsRequest({ ...view, days: 0 }, 'abcdefgh12')).toEqual({
    agentFilter: ['abcdefgh12'],
    clientFilter: [3],
  })
})
