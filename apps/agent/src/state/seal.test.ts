import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { makeSeal } from './seal.ts'

const keyOf = () => generateKeyPairSync('ed25519').privateKey

test('encrypted text is readable with the same key only, and not after a change', () => {
  const [mine, other] = [keyOf(), keyOf()]
  const sealed = makeSeal(mine).seal('NAME=päss')
  expect(sealed).not.toContain('NAME')
  expect(makeSeal(mine).open(sealed)).toBe('NAME=päss')
  expect(makeSeal(mine).seal('NAME=päss')).not.toBe(sealed)
  expect(makeSeal(other).open(sealed)).toBeUndefined()
  expect(makeSeal(mine).open(`${sealed.slice(0, -6)}AAAAAA`)).toBeUndefined()
  expect(makeSeal(mine).open('sealed1.')).toBeUndefined()
})

test('plain text of an earlier agent is readable', () => {
  expect(makeSeal(keyOf()).open('{"id":1}')).toBe('{"id":1}')
})
