import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { MAX_TEXT_BYTES, type PutText } from '@muster/contract/agent/files'
import { expect, test } from 'vitest'
import { givenAgent, givenFolder } from '../../testing/given.ts'
import { ask, raw } from './test-files.ts'

async function prepare() {
  const { server, folder: own } = await givenAgent()
  const folder = givenFolder()
  const at = (name: string) => join(folder, name)
  const find = async (name: string) => {
    const { answer, refused } = await ask(server, 'find-text', { path: raw(at(name)) })
    return refused ?? answer
  }
  const put = async (name: string, more: Partial<PutText>) => {
    const input = { path: raw(at(name)), text: 'new\n', mode: null, owner: null, ...more }
    const { answer, refused } = await ask(server, 'put-text', input)
    return refused ?? answer.state
  }
  const read = (name: string) => readFileSync(at(name), 'utf8')
  const modeOf = (name: string) => (statSync(at(name)).mode & 0o7777).toString(8)
  return { server, own, folder, at, find, put, read, modeOf }
}

test('a text file is created, replaced with its rights kept, restored and deleted', async () => {
  const { folder, at, find, put, read, modeOf } = await prepare()
  expect(await find('motd')).toEqual({ state: 'missing' })
  expect(await put('motd', { hash: null })).toBe('written')
  expect([read('motd'), modeOf('motd')]).toEqual(['new\n', '644'])
  chmodSync(at('motd'), 0o2640)
  const found = await find('motd')
  const { uid, gid } = statSync(at('motd'))
  expect(found).toMatchObject({ state: 'text', text: 'new\n', mode: 0o2640, owner: `${uid}:${gid}` })
  if (typeof found === 'string' || found.state !== 'text') throw new Error('no text')
  expect(await put('motd', { text: 'newer\n', hash: null })).toBe('changed')
  expect(await put('motd', { text: 'newer\n', hash: found.hash })).toBe('written')
  // Set-user-id and set-group-id belong to the former content.
  expect([read('motd'), modeOf('motd')]).toEqual(['newer\n', '640'])
  expect(await put('motd', { text: 'old\n', hash: found.hash })).toBe('changed')
  expect(await put('motd', { mode: 0o600 })).toBe('written')
  expect(modeOf('motd')).toBe('600')
  expect(await put('motd', { text: null, hash: found.hash })).toBe('written')
  expect(await put('motd', { text: null, hash: null })).toBe('written')
  expect(readdirSync(folder)).toEqual([])
})

test('an owner is given by name or number', async () => {
  const { at, put } = await prepare()
  const ownerOf = () => [statSync(at('a')).uid, statSync(at('a')).gid]
  const first = await put('a', { owner: 'daemon' })
  if (process.getuid?.() !== 0) return expect(first).toBe('The system does not allow this.')
  expect(first).toBe('written')
  expect(ownerOf()).toEqual([1, 0])
  expect(await put('a', { owner: '1234:daemon', mode: 0o4750 })).toBe('written')
  expect([...ownerOf(), statSync(at('a')).mode & 0o7777]).toEqual([1234, 1, 0o4750])
  expect(await put('a', { text: 'other\n' })).toBe('written')
  expect([...ownerOf(), statSync(at('a')).mode & 0o7777]).toEqual([1234, 1, 0o750])
  expect(await put('a', { owner: 'nobody-here' })).toBe('The user "nobody-here" does not exist.')
  expect(await put('a', { owner: '0:no-group' })).toBe('The group "no-group" does not exist.')
})

test('links lead to the folder, but no link, special file, hard link or private file is written', async () => {
  const { own, at, find, put, read } = await prepare()
  mkdirSync(at('real'))
  symlinkSync(at('real'), at('linked'))
  expect(await put('linked/a', {})).toBe('written')
  expect(read('real/a')).toBe('new\n')
  symlinkSync(at('real/a'), at('file'))
  expect(await put('file', { text: 'x' })).toBe('This is a link. Open its target instead.')
  symlinkSync(own, at('own'))
  expect(await put('own/agent.json', {})).toBe("This is the agent's own folder, which is not accessible.")
  expect(await find('own/agent.json')).toBe("This is the agent's own folder, which is not accessible.")
  expect(await put('real', {})).toBe('This is a folder, so it has no content to read.')
  linkSync(at('real/a'), at('real/b'))
  expect(await put('real/b', {})).toMatch(/^This file has several names/)
  expect(await put('none/a', {})).toBe(`The folder "${at('none')}" does not exist.`)
  expect([existsSync(at('none')), read('real/a')]).toEqual([false, 'new\n'])
})

test('content that is no text or too large is reported, and can be replaced', async () => {
  const { at, find, put, read } = await prepare()
  writeFileSync(at('binary'), Buffer.from([0, 1, 0xff]))
  writeFileSync(at('large'), 'x'.repeat(MAX_TEXT_BYTES + 1))
  expect(await find('binary')).toEqual({ state: 'other', reason: 'The file was not UTF-8 text.' })
  expect(await find('large')).toEqual({
    state: 'other',
    reason: `The file was too large: ${MAX_TEXT_BYTES + 1} bytes.`,
  })
  expect(await put('large', { hash: '0'.repeat(64) })).toBe('changed')
  for (const name of ['binary', 'large']) {
    expect(await put(name, {})).toBe('written')
    expect(read(name)).toBe('new\n')
  }
})
