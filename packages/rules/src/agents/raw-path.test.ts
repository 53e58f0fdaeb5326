import { expect, test } from 'vitest'
import { bytesOfRaw, isWindowsPath, joinRaw, rawOfBytes, rawOfText, showRaw, stepsOfRaw } from './raw-path.ts'

test('names with any bytes are preserved, and shown without misleading characters', () => {
  const bytes = Uint8Array.of(0x2f, 0xff, 0xfe, 0x2d, 0x5f, 0x0a, 0x41)
  expect(bytesOfRaw(rawOfBytes(bytes))).toEqual(bytes)
  expect(showRaw(rawOfBytes(bytes))).toBe('/\uFFFD\uFFFD-_\uFFFDA')
  expect(showRaw(rawOfText('/a\u202Egpj.exe'))).toBe('/a\uFFFDgpj.exe')
})

test('a name is joined to a folder, also to the root', () => {
  expect(showRaw(joinRaw(rawOfText('/'), rawOfText('etc')))).toBe('/etc')
  expect(showRaw(joinRaw(rawOfText('/var'), rawOfText('log')))).toBe('/var/log')
})

test('a path of Windows has backslashes, and its first folder is the list of drives', () => {
  expect(showRaw(joinRaw(rawOfText('C:\\'), rawOfText('Data')))).toBe('C:\\Data')
  expect(showRaw(joinRaw(rawOfText('C:\\Data'), rawOfText('a/b')))).toBe('C:\\Data\\a/b')
  const steps = stepsOfRaw(rawOfText('C:\\Data\\Anna'))
  expect(steps.map(({ path, name }) => [showRaw(path), name])).toEqual([
    ['/', '/'],
    ['C:\\', 'C:'],
    ['C:\\Data', 'Data'],
    ['C:\\Data\\Anna', 'Anna'],
  ])
  expect(stepsOfRaw(rawOfText('C:\\')).map(({ name }) => name)).toEqual(['/', 'C:'])
  expect(['C:\\', 'c:/x', '/C:\\', 'C:', '\\\\server\\share'].map(isWindowsPath)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ])
})

test('the parent folders of a path', () => {
  const names = (path: string) => stepsOfRaw(rawOfText(path)).map((step) => [showRaw(step.path), step.name])
  expect(names('/')).toEqual([['/', '/']])
  expect(names('/var/log')).toEqual([
    ['/', '/'],
    ['/var', 'var'],
    ['/var/log', 'log'],
  ])
})
