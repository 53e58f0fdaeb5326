import { RegistryPage } from '@muster/contract/agent/registry'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Reported, Step } from './drive-registry.ts'
import { runInWine } from './run-in-wine.ts'
import { WineMachine } from './wine-machine.ts'

let machine: WineMachine
beforeAll(async () => {
  machine = await WineMachine.start()
})
afterAll(() => machine[Symbol.asyncDispose]())

const drive = (steps: Step[]) => runInWine<Step[], Reported[]>(machine, 'drive-registry.ts', steps)

const KEY = 'HKEY_CURRENT_USER\\Software\\Müster "quoted" [x] \u96ea'
const base64 = (text: string) => Buffer.from(text, 'utf16le').toString('base64')
const set = (name: string, type: number, bytes: string, path = KEY): Step => ({
  change: 'set-value',
  path,
  name,
  type,
  bytes,
  is_new: true,
})
const read = (path: string): Step => ({ path, keys_from: 0, values_from: 0 })

/** One value of every type, with unusual names and data. */
const VALUES: [name: string, type: number, bytes: string][] = [
  ['', 1, base64('the default\0')],
  ['na"me\\with\r\nlines', 1, base64('a "text"\r\n\\with all\0')],
  ['%expand% \u96ea', 2, base64('%SystemRoot%\\x\0')],
  ['odd', 1, Buffer.from([0x41, 0, 0x42]).toString('base64')],
  ['binary', 3, Buffer.from([0, 1, 0xfe, 0xff]).toString('base64')],
  ['none', 0, ''],
  ['dword', 4, Buffer.from([0xff, 0xff, 0xff, 0xff]).toString('base64')],
  ['big', 5, Buffer.from([1, 2, 3, 4]).toString('base64')],
  ['link', 6, base64('\\Registry\\Machine')],
  ['multi', 7, base64('one\0two\0\0')],
  ['qword', 11, Buffer.from('ffffffffffffffff', 'hex').toString('base64')],
  ['unknown', 0x12345678, Buffer.from('xyz').toString('base64')],
]

test('keys and values of every type are created, read, renamed, changed and deleted', async () => {
  const under = `${KEY}\\under`
  const reported = await drive([
    { change: 'create-key', path: KEY },
    { change: 'create-key', path: KEY },
    ...VALUES.map((value) => set(...value)),
    set('BINARY', 3, ''),
    read(KEY.replace('HKEY_CURRENT_USER', 'hkcu')),
    { change: 'rename-value', path: KEY, name: '', new_name: 'na/me' },
    { change: 'rename-value', path: KEY, name: 'multi', new_name: 'odd' },
    { change: 'set-value', path: KEY, name: 'dword', type: 4, bytes: 'AQAAAA==', is_new: false },
    { change: 'delete-value', path: KEY, name: 'binary' },
    { change: 'delete-value', path: KEY, name: 'binary' },
    { change: 'create-key', path: `${under}\\deep` },
    set('kept', 1, base64('yes\0'), `${under}\\deep`),
    { change: 'rename-key', path: under, new_name: 'over' },
    { path: `${KEY}\\over\\deep`, name: 'kept' },
    read(under),
    read(KEY),
    { change: 'delete-key', path: KEY },
    read(KEY),
    { change: 'delete-key', path: 'HKLM\\SOFTWARE' },
    { change: 'delete-key', path: 'HKCU' },
    read('HKEY_NOWHERE\\x'),
    read(''),
  ])
  expect(reported.filter(({ failed }) => failed !== undefined)).toEqual([])
  const [made, twice, ...rest] = reported
  expect(made?.answer).toEqual({ before: null })
  expect(twice?.refused).toBe(`"${KEY}" already exists.`)
  for (const value of rest.splice(0, VALUES.length)) expect(value.answer).toEqual({ before: null })
  expect(rest.shift()?.refused).toBe('"BINARY" already exists.')
  const whole = RegistryPage.parse(rest.shift()?.answer)
  expect(whole).toMatchObject({ path: KEY, subkeys: [], value_count: VALUES.length, next_values: null })
  const found = new Map(whole.values.map(({ name, type, bytes }) => [name, { type, bytes }]))
  expect(found).toEqual(new Map(VALUES.map(([name, type, bytes]) => [name, { type, bytes }])))
  expect(rest.shift()?.answer).toMatchObject({ before: { type: 1, bytes: VALUES[0]?.[2] } })
  expect(rest.shift()?.refused).toBe('"odd" already exists.')
  expect(rest.shift()?.answer).toEqual({ before: { type: 4, size: 4, bytes: '/////w==' } })
  expect(rest.shift()?.answer).toMatchObject({ before: { type: 3, bytes: 'AAH+/w==' } })
  expect(rest.shift()?.refused).toContain('no longer has this value.')
  for (const step of rest.splice(0, 3)) expect(step.answer).toEqual({ before: null })
  expect(rest.shift()?.answer).toMatchObject({ type: 1, bytes: base64('yes\0') })
  expect(rest.shift()?.refused).toBe(`${under}: It no longer exists.`)
  const after = RegistryPage.parse(rest.shift()?.answer)
  expect(after.subkeys).toEqual([{ name: 'over', has_subkeys: true }])
  expect(after.values.map(({ name }) => name)).toContain('na/me')
  expect(rest.shift()?.answer).toEqual({ before: null })
  expect(rest.map(({ refused }) => refused)).toEqual([
    `${KEY}: It no longer exists.`,
    '"HKLM\\SOFTWARE" is part of the registry itself.',
    'HKEY_CURRENT_USER itself cannot be changed.',
    expect.stringContaining('A path must start with one of HKEY_CLASSES_ROOT'),
    undefined,
  ])
  expect(RegistryPage.parse(rest.at(-1)?.answer).subkeys).toHaveLength(5)
})

test('a key with thousands below it comes in pages, and a large value in part and as a whole', async () => {
  const large = Buffer.alloc(300_000, 7).toString('base64')
  const reported = await drive([
    { change: 'create-key', path: KEY },
    { path: KEY, many: 1500 },
    set('0 large', 3, large),
    read(KEY),
    { path: KEY, keys_from: 1400, values_from: 1400 },
    { path: KEY, name: '0 large' },
  ])
  expect(reported.filter(({ failed, refused }) => failed !== undefined || refused !== undefined)).toEqual([])
  const first = RegistryPage.parse(reported[3]?.answer)
  expect(first).toMatchObject({ next_keys: 200, next_values: 200, key_count: 1500, value_count: 1501 })
  const last = RegistryPage.parse(reported[4]?.answer)
  expect([last.subkeys.length, last.values.length, last.next_keys, last.next_values]).toEqual([
    100,
    101,
    null,
    null,
  ])
  const found = [...first.values, ...last.values].find(({ name }) => name === '0 large')
  expect(found === undefined || (found.size === 300_000 && found.bytes.length < 512)).toBe(true)
  expect(reported[5]?.answer).toEqual({ type: 3, size: 300_000, bytes: large })
})

test('a value is found with the number of missing keys, for a job that creates them', async () => {
  const deep = `${KEY} job\\one\\two`
  const reported = await drive([
    { find: true, path: deep, name: 'speed' },
    { change: 'create-key', path: deep },
    { find: true, path: deep.toUpperCase(), name: 'speed' },
    set('speed', 4, 'AgAAAA==', deep),
    { find: true, path: deep, name: 'SPEED' },
    { find: true, path: `${deep}\\three`, name: '' },
    { find: true, path: 'HKEY_NOWHERE\\x', name: '' },
    { change: 'delete-key', path: `${KEY} job` },
  ])
  expect(reported.map(({ answer, refused }) => answer ?? refused)).toEqual([
    { value: null, missing_keys: 3 },
    { before: null },
    { value: null, missing_keys: 0 },
    { before: null },
    { value: { type: 4, size: 4, bytes: 'AgAAAA==' }, missing_keys: 0 },
    { value: null, missing_keys: 1 },
    expect.stringContaining('A path must start with one of'),
    { before: null },
  ])
})
