import { chmodSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ACCESS_LIST, accessListFor, readAttributes, setAttributes } from '../../testing/given-attributes.ts'
import { givenBadDisk, givenBindMount } from '../../testing/given-disk.ts'
import { givenAgent, givenFolder } from '../../testing/given.ts'
import { openParent } from './open-parent.ts'
import { overwriteFile } from './overwrite-file.ts'
import { givenSaves, raw } from './test-files.ts'

const isRoot = process.getuid?.() === 0
const KEPT = { 'user.note': Buffer.from('kept').toString('hex'), [ACCESS_LIST]: accessListFor(1) }

async function prepare() {
  const { server } = await givenAgent()
  const folder = givenFolder()
  const target = join(folder, 'hosts')
  return { server, folder, target, saves: givenSaves(server, folder), names: () => readdirSync(folder) }
}

test('a file that is mounted, as in a container, is written in place', async () => {
  const { target, saves, names } = await prepare()
  const source = join(givenFolder(), 'source')
  writeFileSync(source, '127.0.0.1 localhost\n', { mode: 0o664 })
  writeFileSync(target, '')
  if (!givenBindMount(source, target)) return expect(isRoot).toBe(false)
  setAttributes(target, KEPT)
  chmodSync(target, 0o4660)
  for (const [at, save] of saves.entries()) {
    expect((await save(`new ${at}`)).refused).toBeNull()
    expect([readFileSync(target, 'utf8'), readFileSync(source, 'utf8')]).toEqual([`new ${at}`, `new ${at}`])
    expect([readAttributes(source), (statSync(source).mode & 0o7777).toString(8)]).toEqual([KEPT, '660'])
  }
  expect(names()).toEqual(['hosts'])
})

test('a disk that is full while a file is written in place gets the former content back', async () => {
  const disk = givenBadDisk()
  const { target, saves, names } = await prepare()
  const source = join(disk.folder, 'source')
  const former = Buffer.alloc(20_000, 'former ')
  writeFileSync(source, former, { mode: 0o640 })
  writeFileSync(target, '')
  if (!givenBindMount(source, target)) return expect(isRoot).toBe(false)
  disk.spoil()
  for (const save of saves) {
    expect((await save('new '.repeat(50_000))).refused).toBe('The disk is full.')
    expect(readFileSync(target).equals(former)).toBe(true)
    expect(names()).toEqual(['hosts'])
  }
  disk.repair()
  for (const save of saves) expect((await save('new '.repeat(50_000))).refused).toBeNull()
  expect(statSync(source).size).toBe(200_000)
})

test('a former content that cannot be restored stays beside the file, and the refusal names it', async () => {
  const folder = givenFolder()
  const at = (name: string) => join(folder, name)
  writeFileSync(at('target'), 'former')
  writeFileSync(at('draft'), 'new')
  await using target = await open(at('target'), 'r')
  await using draft = await open(at('draft'), 'r')
  await using handle = await open(at('copy'), 'wx+')
  const former = { handle, path: Buffer.from(at('copy')), shown: Buffer.from(at('copy')) }
  await expect(overwriteFile({ target, draft, former })).rejects.toThrow(
    `The former content of the file is in "${at('copy')}".`,
  )
  expect(readFileSync(at('copy'), 'utf8')).toBe('former')
})

test('a file that was replaced after its rights were read is not written', async () => {
  const { folder, target } = await prepare()
  writeFileSync(target, 'old')
  await using parent = await openParent(raw(target), givenFolder())
  const found = statSync(target)
  await using handle = await parent.create(Buffer.from('draft'))
  writeFileSync(join(folder, 'other'), 'other')
  renameSync(join(folder, 'other'), target)
  await expect(parent.take({ name: Buffer.from('draft'), handle }, found)).rejects.toThrow(
    'The file was replaced meanwhile. Try again.',
  )
  expect(readFileSync(target, 'utf8')).toBe('other')
})
