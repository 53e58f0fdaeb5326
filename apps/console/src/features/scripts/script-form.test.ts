import { expect, test } from 'vitest'
import { NEW_SCRIPT, checkScript, shebangWarning, toScriptBody } from './script-form.ts'

test('a script needs a name, and at least five seconds', () => {
  expect(checkScript({ ...NEW_SCRIPT, name: ' ', default_timeout: 4 })).toEqual({
    name: 'A name is needed.',
    default_timeout: 'At least 5 seconds.',
  })
  expect(checkScript({ ...NEW_SCRIPT, name: 'Clean up' })).toEqual({})
})

test('environment variables are NAME=value; empty lines are left out', () => {
  expect(checkScript({ ...NEW_SCRIPT, name: 'x', env_vars: ['A=1', 'no'] })).toHaveProperty('env_vars')
  expect(toScriptBody({ ...NEW_SCRIPT, name: 'x', env_vars: ['A=1', ''], args: ['', 'b'] })).toMatchObject({
    env_vars: ['A=1'],
    args: ['b'],
  })
})

test.each([
  ['shell', '#!/bin/sh\nls', false],
  ['shell', 'ls', true],
  ['python', 'print(1)', true],
  ['shell', '', false],
  ['powershell', 'dir', false],
] as const)('code for %s without #! is warned of: %s', (shell, script_body, warned) => {
  expect(shebangWarning({ shell, script_body }) !== undefined).toBe(warned)
})
