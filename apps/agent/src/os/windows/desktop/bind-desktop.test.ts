import { expect, test } from 'vitest'
import { padDeclaration } from './bind-desktop.ts'

const count = (declaration: string) => declaration.split(',').length

test.each([0, 1, 9, 11, 12])('a function of %i parameters has twelve in Wine', (given) => {
  const parameters = Array.from({ length: given }, (_, index) => `int value${index}`)
  const padded = padDeclaration(`int __stdcall Draw(${parameters.join(', ')})`)
  expect(padded).toBe(
    `int __stdcall Draw(${[...parameters, ...Array<string>(12 - given).fill('void *')].join(', ')})`,
  )
  expect(count(padded)).toBe(12)
})

test('a function with more parameters stays as it is', () => {
  const declaration = `int __stdcall Draw(${Array<string>(13).fill('int').join(', ')})`
  expect(padDeclaration(declaration)).toBe(declaration)
})
