import { expect, test } from 'vitest'
import { colorToCss, DEFAULT_COLORS, findColor, parseColor } from './colors.ts'
import type { Color } from './colors.ts'

const theme = {
  positive: 'var(--positive)',
  negative: 'var(--negative)',
  warning: 'var(--warning)',
  info: 'var(--info)',
}

test.each<[string, Color, string]>([
  ['red', { kind: 'named', name: 'red' }, '#f44336'],
  ['red-1', { kind: 'named', name: 'red', shade: 1 }, '#ffebee'],
  ['blue-14', { kind: 'named', name: 'blue', shade: 14 }, '#2962ff'],
  ['deep-purple', { kind: 'named', name: 'deep-purple' }, '#673ab7'],
  ['deep-purple-10', { kind: 'named', name: 'deep-purple', shade: 10 }, '#311b92'],
  ['blue-grey-3', { kind: 'named', name: 'blue-grey', shade: 3 }, '#b0bec5'],
  ['blue-grey-12', { kind: 'named', name: 'blue-grey', shade: 12 }, '#607d8b'],
  [' Teal ', { kind: 'named', name: 'teal' }, '#009688'],
  ['warning', { kind: 'theme', name: 'warning' }, 'var(--warning)'],
  ['Positive', { kind: 'theme', name: 'positive' }, 'var(--positive)'],
  ['#A1b2C3', { kind: 'hex', value: '#a1b2c3' }, '#a1b2c3'],
])('%j is a colour', (text, color, css) => {
  expect(findColor(text)).toEqual(color)
  expect(parseColor(text, 'red')).toEqual(color)
  expect(colorToCss(text, theme, 'red')).toBe(css)
})

test.each([
  '',
  'reddish',
  'red-0',
  'red-15',
  'red-01',
  'red-',
  'red--1',
  'warning-3',
  'black',
  'constructor',
  '__proto__',
  '#abc',
  '#aabbccdd',
  '#gggggg',
  'aabbcc',
  'url(https://example.com/x)',
  'red;background:url(x)',
  null,
  undefined,
  0xff0000,
  ['red'],
])('%j falls back to the default', (text) => {
  expect(findColor(text)).toBeUndefined()
  expect(parseColor(text, 'light-green')).toEqual({ kind: 'named', name: 'light-green' })
  expect(parseColor(text, 'negative')).toEqual({ kind: 'theme', name: 'negative' })
  expect(colorToCss(text, theme, 'negative')).toBe('var(--negative)')
  expect(colorToCss(text, theme, 'red')).toBe('#f44336')
})

test('the defaults of a new user', () => {
  expect(DEFAULT_COLORS).toEqual({
    loading_bar_color: 'blue',
    dash_info_color: 'info',
    dash_positive_color: 'positive',
    dash_negative_color: 'negative',
    dash_warning_color: 'warning',
  })
})
