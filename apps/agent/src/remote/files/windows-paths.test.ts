import { expect, test } from 'vitest'
import { AgentError } from '../../errors.ts'
import { readWindowsPath, refuseUnusableName, showWindowsPath, systemWindowsPath } from './windows-paths.ts'

const read = (path: string) => readWindowsPath(Buffer.from(path)).map(String)

test('a path is split into a drive and names, with either separator', () => {
  expect(read('/')).toEqual([])
  expect(read('c:\\')).toEqual(['C:'])
  expect(read('C:\\Data\\\\Anna/notes.txt\\')).toEqual(['C:', 'Data', 'Anna', 'notes.txt'])
  const names = readWindowsPath(Buffer.from('C:\\Data'))
  expect(
    [showWindowsPath(names), showWindowsPath(names.slice(0, 1)), showWindowsPath([])].map(String),
  ).toEqual(['C:\\Data', 'C:\\', '/'])
  expect(systemWindowsPath(names).toString()).toBe('\\\\?\\C:\\Data')
})

test.each([
  '\\\\server\\share',
  '//server/share',
  '\\\\?\\C:\\x',
  '\\\\.\\PhysicalDrive0',
  'C:',
  'C:x',
  '/C:/x',
  'Data',
  'C:\\a\\..\\b',
  'C:\\.',
  'C:\\file:stream',
  'C:\\a*',
  'C:\\a\u0000b',
  `C:\\${'n'.repeat(256)}`,
])('a path that is no plain one is refused: %s', (path) => {
  expect(() => read(path)).toThrow(AgentError)
})

test('names that other programs cannot open are not given', () => {
  const isRefused = (name: string) => {
    try {
      refuseUnusableName(Buffer.from(name))
      return false
    } catch {
      return true
    }
  }
  const refused = ['CON', 'con.txt', 'Nul', 'COM1', 'lpt9.log', 'COM¹', 'CONIN$', 'aux .x', 'dot.', 'space ']
  const allowed = ['console', 'COM', 'COM10', 'null', 'a.b', '.hidden', 'prn1']
  expect(refused.filter((name) => !isRefused(name))).toEqual([])
  expect(allowed.filter(isRefused)).toEqual([])
})
