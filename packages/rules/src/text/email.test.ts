import { expect, test } from 'vitest'
import { isEmail } from './email.ts'

const domainOf250 = `${`${'b'.repeat(60)}.`.repeat(4)}de.com`

test.each([
  ['a plain address', 'ada@example.com', true],
  ['every allowed character', 'A.z_0%9+x-y@ex-ample.co.uk', true],
  ['6 characters', 'a@b.io', true],
  ['5 characters', 'a@b.c', false],
  ['254 characters', `abc@${domainOf250}`, true],
  ['255 characters', `abcd@${domainOf250}`, false],
  ['local part of 64', `${'a'.repeat(64)}@example.com`, true],
  ['local part of 65', `${'a'.repeat(65)}@example.com`, false],
  ['no local part', '@example.com', false],
  ['label of 63', `a@${'b'.repeat(63)}.com`, true],
  ['label of 64', `a@${'b'.repeat(64)}.com`, false],
  ['empty label', 'a@example..com', false],
  ['underscore in a label', 'a@ex_ample.com', false],
  ['last label of 63 letters', `a@b.${'c'.repeat(63)}`, true],
  ['last label of 64 letters', `a@b.${'c'.repeat(64)}`, false],
  ['last label of 1 letter', 'ada@example.c', false],
  ['digits in the last label', 'ada@example.c0m', false],
  ['an address of numbers', 'ada@127.0.0.1', false],
  ['no dot in the domain', 'ada@localhost', false],
  ['two @', 'ada@lovelace@example.com', false],
  ['no @', 'ada.example.com', false],
  ['a space', 'ada @example.com', false],
  ['a line end', 'ada@example.com\n', false],
  ['a letter outside a-z', 'ädä@example.com', false],
  ['mark-up', '<b>@example.com', false],
  ['nothing', '', false],
])('e-mail: %s', (_case, text, valid) => {
  expect(isEmail(text)).toBe(valid)
})

test('a hostile text of 100,000 characters is refused', () => {
  expect(isEmail(`${'a.'.repeat(50_000)}@`)).toBe(false)
})
