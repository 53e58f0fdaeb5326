import { expect, test } from 'vitest'
import { formatTreeNode, parseTreeNode, type TreeNode } from './tree-order.ts'

test.each<[string, TreeNode]>([
  ['Client|1', { kind: 'Client', id: 1 }],
  ['Site|42', { kind: 'Site', id: 42 }],
  ['Client|9007199254740991', { kind: 'Client', id: Number.MAX_SAFE_INTEGER }],
])('the selected tree node is written %s', (key, node) => {
  expect(parseTreeNode(key)).toEqual(node)
  expect(formatTreeNode(node)).toBe(key)
})

test.each([
  '',
  'Client',
  'Client|',
  'Client|0',
  'Client|-1',
  'Client|01',
  'Client|1.5',
  'Client|1e3',
  'Client|9007199254740993',
  'Client|99999999999999999999',
  'Client|1|2',
  'Client|1\n',
  ' Client|1',
  'client|1',
  'Agent|1',
  '|1',
  'Client|<img onerror=x>',
  'Client|١',
  '__proto__|1',
  null,
  undefined,
  7,
  ['Client|1'],
  { kind: 'Client', id: 1 },
])('an invalid key is undefined: %j', (key) => {
  expect(parseTreeNode(key)).toBeUndefined()
})
