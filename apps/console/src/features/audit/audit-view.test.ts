import { expect, test } from 'vitest'
import {
  type AuditView,
  START_VIEW,
  isNewestFirst,
  readAuditView,
  toAuditRequest,
  writeAuditView,
} from './audit-view.ts'

test('the default view is the newest 25 entries of seven days', () => {
  expect(toAuditRequest(START_VIEW, undefined)).toEqual({
    pagination: { page: 1, rowsPerPage: 25, sortBy: 'entry_time', descending: true },
    timeFilter: 7,
  })
})

test('a machine is asked for alone, and everything has no time limit', () => {
  const view = { ...START_VIEW, agents: ['other123'], days: 0 }
  expect(toAuditRequest(view, 'abcdefgh')).toEqual({
    pagination: { page: 1, rowsPerPage: 25, sortBy: 'entry_time', descending: true },
    agentFilter: ['abcdefgh'],
  })
})

const FULL: AuditView = {
  users: ['ada winter', 'x:y z%'],
  actions: ['add', 'delete'],
  objects: ['client'],
  clients: [3, 7],
  agents: ['abcdefgh12'],
  days: 30,
  page: 4,
  pageSize: 100,
  sortBy: 'username',
  descending: false,
}

test('a view is in the address and read back the same', () => {
  expect(writeAuditView(START_VIEW)).toBeUndefined()
  expect(readAuditView(undefined)).toEqual(START_VIEW)
  expect(writeAuditView(FULL)).toBe(
    'user:ada%20winter user:x%3Ay%20z%25 action:add action:delete object:client client:3 client:7 agent:abcdefgh12 days:30 page:4 rows:100 sort:username',
  )
  expect(readAuditView(writeAuditView(FULL))).toEqual(FULL)
})

test.each([
  'nonsense',
  'user: action:dance object:moon client:x client:0 agent:no days:-1 days: page:0 rows:7 sort:password',
  'user:%E0%A4%A',
  'days:1.5 page:99999999999 rows:1e9',
])('%j counts as empty', (text) => {
  expect(readAuditView(text)).toEqual(START_VIEW)
})

test('only the first page by time shows the newest on top', () => {
  expect(isNewestFirst(START_VIEW)).toBe(true)
  expect(isNewestFirst({ ...START_VIEW, page: 2 })).toBe(false)
  expect(isNewestFirst({ ...START_VIEW, descending: false })).toBe(false)
  expect(isNewestFirst({ ...START_VIEW, sortBy: 'username' })).toBe(false)
})
