import { expect, test } from 'vitest'
import { decodeFile, interpreterWarning, shellOfFile } from './script-code.ts'

test.each([
  ['clean.ps1', 'powershell'],
  ['CLEAN.BAT', 'cmd'],
  ['a.b.py', 'python'],
  ['x.sh', 'shell'],
  ['x.nu', 'nushell'],
  ['x.ts', 'deno'],
  ['x.mjs', 'node'],
  ['x.txt', undefined],
  ['constructor', undefined],
  ['x.constructor', undefined],
])('%j is written for %j', (filename, shell) => {
  expect(shellOfFile(filename)).toBe(shell)
})

const bytes = (...values: number[]) => new Uint8Array(values)

test('files are read by their type', () => {
  expect(decodeFile(new TextEncoder().encode('echo grün'))).toBe('echo grün')
  expect(decodeFile(bytes(0xef, 0xbb, 0xbf, 0x61))).toBe('a')
  expect(decodeFile(bytes(0xff, 0xfe, 0x61, 0x00, 0xfc, 0x00))).toBe('aü')
  expect(decodeFile(bytes(0xfe, 0xff, 0x00, 0x61))).toBe('a')
  expect(decodeFile(bytes(0x67, 0x72, 0xfc, 0x6e))).toBe('grün')
  expect(decodeFile(bytes())).toBe('')
})

test('binary files are not read', () => {
  expect(decodeFile(bytes(0x7f, 0x45, 0x4c, 0x46, 0x00, 0x01))).toBeUndefined()
})

test('a missing interpreter warns for shell and Python only', () => {
  expect(interpreterWarning('shell', 'echo hi')).toContain('bash')
  expect(interpreterWarning('python', 'print(1)')).toContain('python3')
  expect(interpreterWarning('shell', '#!/bin/sh\necho hi')).toBeUndefined()
  expect(interpreterWarning('shell', ' \n')).toBeUndefined()
  expect(interpreterWarning('powershell', 'Get-Service')).toBeUndefined()
})
