import { expect, test } from 'vitest'
import { modify } from './terminal-modifiers.ts'

const ctrl = { ctrl: true, alt: false }
const alt = { ctrl: false, alt: true }
const both = { ctrl: true, alt: true }

test.each([
  ['c', ctrl, '\u0003'],
  ['C', ctrl, '\u0003'],
  ['[', ctrl, '\u001b'],
  [' ', ctrl, '\0'],
  ['-', ctrl, '\u001f'],
  ['?', ctrl, '\u007f'],
  ['1', ctrl, '1'],
  ['é', ctrl, 'é'],
  ['b', alt, '\u001bb'],
  ['c', both, '\u001b\u0003'],
  ['\r', alt, '\u001b\r'],
  ['\u001b[A', ctrl, '\u001b[1;5A'],
  ['\u001bOC', alt, '\u001b[1;3C'],
  ['\u001b[5~', both, '\u001b[5;7~'],
  ['ls -l', ctrl, 'ls -l'],
  ['\u001b[200~x\u001b[201~', ctrl, '\u001b[200~x\u001b[201~'],
  ['c', { ctrl: false, alt: false }, 'c'],
])('%j with %j is sent as %j', (text, modifiers, sent) => {
  expect(modify(text, modifiers)).toBe(sent)
})
