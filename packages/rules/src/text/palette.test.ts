import { expect, test } from 'vitest'
import { isPaletteName, PALETTE, paletteHex } from './colors.ts'

test('the 19 palette names in order', () => {
  expect(Object.keys(PALETTE).join(' ')).toBe(
    'red pink purple deep-purple indigo blue light-blue cyan teal green light-green lime yellow amber orange deep-orange brown grey blue-grey',
  )
})

test.each(Object.entries(PALETTE))('%s has ten shades and four accents', (name, text) => {
  const shades = text.split(' ')
  expect(shades).toHaveLength(['brown', 'grey', 'blue-grey'].includes(name) ? 10 : 14)
  for (const shade of shades) expect(shade).toMatch(/^[0-9a-f]{6}$/)
  expect(new Set(shades).size).toBe(shades.length)
})

test.each([
  ['red', undefined, '#f44336'],
  ['red', 1, '#ffebee'],
  ['red', 6, '#f44336'],
  ['red', 10, '#b71c1c'],
  ['red', 11, '#ff8a80'],
  ['red', 14, '#d50000'],
  ['blue-grey', 10, '#263238'],
  ['grey', 11, '#9e9e9e'],
  ['brown', 14, '#795548'],
] as const)('%s shade %s is %s', (name, shade, hex) => {
  expect(paletteHex(name, shade)).toBe(hex)
})

test('inherited object properties are not palette names', () => {
  expect(['red', 'constructor', '__proto__', 'Red', ''].map(isPaletteName)).toEqual([
    true,
    false,
    false,
    false,
    false,
  ])
})
