import type { Process } from '@muster/contract/api/processes'
import { expect, test } from 'vitest'
import { holdOrder, keyOf, layOut, searchProcesses, sortProcesses } from './process-rows.ts'
import { testProcess } from './test-processes.ts'

const INIT = testProcess({ pid: 1, parent_pid: 0, name: 'systemd', username: 'root', membytes: 30 })
const SHELL = testProcess({ pid: 20, parent_pid: 1, name: 'bash', cpu_percent: 5, membytes: 10 })
const WEB = testProcess({
  pid: 3,
  parent_pid: 20,
  name: 'node',
  command: 'node server.js --port 80',
  ports: [{ protocol: 'tcp', address: '::', port: 8420 }],
  membytes: 20,
})
const ALL = [INIT, SHELL, WEB]
const names = (processes: readonly Process[]) => processes.map(({ name }) => name)

test.each([
  ['', ['systemd', 'bash', 'node']],
  ['NODE  server', ['node']],
  ['node bash', []],
  ['8420', ['node']],
  ['port:8420', ['node']],
  ['port:80', []],
  ['user:root', ['systemd']],
  ['pid:2', []],
  ['pid:20 ada', ['bash']],
])('the search %j finds what has all its words', (search, found) => {
  expect(names(searchProcesses(ALL, search))).toEqual(found)
})

test('numbers are sorted as numbers, and equal ones stand still', () => {
  expect(names(sortProcesses(ALL, { column: 'memory', descending: true }))).toEqual([
    'systemd',
    'node',
    'bash',
  ])
  expect(names(sortProcesses(ALL, { column: 'pid', descending: false }))).toEqual(['systemd', 'node', 'bash'])
  expect(names(sortProcesses(ALL, { column: 'cpu', descending: true }))).toEqual(['bash', 'systemd', 'node'])
  expect(names(sortProcesses(ALL, { column: 'ports', descending: false }))).toEqual([
    'node',
    'systemd',
    'bash',
  ])
})

test('in the tree each process is below its parent, and cycles end', () => {
  const shape = (all: readonly Process[]) =>
    layOut(all, true).map(({ process, depth }) => [process.pid, depth])
  expect(shape([WEB, SHELL, INIT])).toEqual([
    [1, 0],
    [20, 1],
    [3, 2],
  ])
  // The parent is not among what was found.
  expect(shape([WEB])).toEqual([[3, 0]])
  const ring = [
    testProcess({ pid: 5, parent_pid: 6 }),
    testProcess({ pid: 6, parent_pid: 5 }),
    testProcess({ pid: 7, parent_pid: 7 }),
  ]
  expect(shape(ring)).toEqual([
    [7, 0],
    [5, 0],
    [6, 0],
  ])
})

test('while frozen nothing moves, ended ones go, and new ones come last', () => {
  const before = layOut([INIT, SHELL, WEB], false).map(keyOf)
  const added = testProcess({ pid: 2, name: 'new' })
  // The same number, another process.
  const other = testProcess({ pid: 20, start: '9', name: 'other' })
  const held = holdOrder(layOut([WEB, added, other, INIT], false), before)
  expect(held.map(({ process }) => process.name)).toEqual(['systemd', 'node', 'new', 'other'])
})
