import { expect, test } from 'vitest'
import { diffValues, listValue } from './audit-diff.ts'

const lines = (before: unknown, after: unknown) =>
  diffValues(before, after).map(({ depth, left, right, mark }) => [mark, depth, left, right])

test('equal lines appear on both sides, changes are marked', () => {
  expect(lines({ name: 'Acme', days: 3, on: true }, { name: 'Acme', days: 4, on: true })).toEqual([
    ['same', 0, '{', '{'],
    ['same', 1, '"name": "Acme",', '"name": "Acme",'],
    ['changed', 1, '"days": 3,', '"days": 4,'],
    ['same', 1, '"on": true', '"on": true'],
    ['same', 0, '}', '}'],
  ])
})

test('keys of one side only leave the other side empty, and each side stays valid JSON', () => {
  const result = diffValues({ a: 1, gone: [1, 2] }, { a: 1, new: {} })
  expect(result.map(({ mark, left, right }) => [mark, left, right])).toEqual([
    ['same', '{', '{'],
    ['same', '"a": 1,', '"a": 1,'],
    ['removed', '"gone": [', undefined],
    ['removed', '1,', undefined],
    ['removed', '2', undefined],
    ['removed', ']', undefined],
    ['added', undefined, '"new": {}'],
    ['same', '}', '}'],
  ])
  const side = (name: 'left' | 'right') =>
    JSON.parse(result.map((line) => line[name] ?? '').join('\n')) as unknown
  expect(side('left')).toEqual({ a: 1, gone: [1, 2] })
  expect(side('right')).toEqual({ a: 1, new: {} })
})

test('nested values are compared inside', () => {
  expect(lines({ a: { b: [1, 2] } }, { a: { b: [1, 3] } }).filter(([mark]) => mark !== 'same')).toEqual([
    ['changed', 3, '2', '3'],
  ])
})

test('a value that becomes one of another kind is changed as a whole', () => {
  expect(lines({ a: 'x' }, { a: ['x'] })).toEqual([
    ['same', 0, '{', '{'],
    ['changed', 1, '"a": "x"', '"a": ['],
    ['changed', 2, undefined, '"x"'],
    ['changed', 1, undefined, ']'],
    ['same', 0, '}', '}'],
  ])
})

test('one value alone is formatted JSON', () => {
  const value = { name: 'Acme', sites: ['Berlin', 'Munich'], empty: [], none: null, deep: { a: 1 } }
  expect(listValue(value).join('\n')).toBe(JSON.stringify(value, null, 2))
})

test('texts of several lines keep their lines; quotes and hostile marks are shown as they are', () => {
  expect(listValue('#!/bin/sh\necho "<b>\\n"')).toEqual(['"#!/bin/sh\necho \\"<b>\\\\n\\""'])
})

test.each([[null], [undefined], [3], ['x'], [[]], [{}]])('%j equals itself', (value) => {
  expect(diffValues(value, value).map(({ mark }) => mark)).toEqual(['same'])
})
