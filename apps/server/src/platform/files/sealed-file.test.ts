import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createSecrets } from '../secrets/secrets.ts'
import { readSealedFile, SealedFile } from './sealed-file.ts'

const secrets = createSecrets(randomBytes(32))

async function givenFile(pieces: string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'muster-sealed-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const path = join(folder, 'file')
  await using file = await SealedFile.create(path, { secrets, about: 'a test' })
  for (const piece of pieces) await file.append(piece)
  return path
}

async function readAll(path: string, about = 'a test') {
  const pieces = await readSealedFile(path, { secrets, about })
  return Promise.all(pieces.map(({ text }) => text()))
}

test('pieces come back in order and are not readable on disk', async () => {
  const path = await givenFile(['one geheim', 'two', 'three'])
  expect(await readAll(path)).toEqual(['one geheim', 'two', 'three'])
  expect((await readFile(path)).includes('geheim')).toBe(false)
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  await expect(SealedFile.create(path, { secrets, about: 'a test' })).rejects.toThrow('EEXIST')
})

test('a truncated last piece is left out, wherever it was cut', async () => {
  const path = await givenFile(['one', 'two'])
  const { size } = await stat(path)
  for (let cut = 1; cut < 20; cut += 1) {
    await truncate(path, size - cut)
    expect(await readAll(path)).toEqual(['one'])
  }
})

test('changed, swapped or foreign pieces are refused', async () => {
  const path = await givenFile(['one', 'two'])
  await expect(readAll(path, 'another')).rejects.toThrow()
  const bytes = await readFile(path)
  const first = bytes.subarray(0, 4 + bytes.readUInt32BE(0))
  await writeFile(path, Buffer.concat([bytes.subarray(first.length), first]))
  await expect(readAll(path)).rejects.toThrow()
  bytes[10] = (bytes[10] ?? 0) ^ 1
  await writeFile(path, bytes)
  await expect(readAll(path)).rejects.toThrow()
})
