import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CHANNEL_KIND, encodeChannelFrame, encodeChannelText } from '@muster/contract/agent/channel'
import { expect, onTestFinished, test } from 'vitest'
import { readSealedFile, SealedFile } from '../../platform/files/sealed-file.ts'
import { createSecrets } from '../../platform/secrets/secrets.ts'
import { Recording } from './recording.ts'
import type { RecordingEnd } from './recording-writer.ts'

async function givenRecording() {
  const folder = await mkdtemp(join(tmpdir(), 'muster-recording-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const seal = { secrets: createSecrets(randomBytes(32)), about: 'a recording' }
  const path = join(folder, 'file')
  const file = await SealedFile.create(path, seal)
  const ends: RecordingEnd[] = []
  const errors: unknown[] = []
  const recording = new Recording({
    file,
    size: { cols: 80, rows: 24 },
    startedAt: new Date('2026-11-22T10:00:00Z'),
    mostCharacters: 100_000,
    onEnd: async (end) => void ends.push(end),
    onError: (error) => errors.push(error),
  })
  const show = (payload: Uint8Array) =>
    recording.fromMachine(encodeChannelFrame({ kind: CHANNEL_KIND.data, channel: 7, payload }))
  const readAll = async () => {
    const pieces = await readSealedFile(path, seal)
    const text = (await Promise.all(pieces.map(({ text }) => text()))).join('')
    return text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown)
  }
  return { recording, file, ends, errors, show, readAll }
}

test('it is asciicast: a header, output with characters cut anywhere, sizes, the exit', async () => {
  const { recording, show, readAll } = await givenRecording()
  for (const byte of Buffer.from('gr\u00fc\u20ac')) show(Buffer.from([byte]))
  recording.fromPerson(encodeChannelText(0, { type: 'resize', cols: 100, rows: 30 }))
  recording.fromPerson(
    encodeChannelFrame({ kind: CHANNEL_KIND.data, channel: 0, payload: Buffer.from('pw') }),
  )
  recording.fromMachine(encodeChannelText(7, { type: 'exit', exit_code: 3 }))
  await recording.end()
  expect(await readAll()).toEqual([
    { version: 2, width: 80, height: 24, timestamp: 1_795_341_600 },
    ...['g', 'r', '\u00fc', '\u20ac'].map((text) => [expect.any(Number), 'o', text]),
    [expect.any(Number), 'r', '100x30'],
    [expect.any(Number), 'm', 'exit 3'],
  ])
})

test('a failing disk is reported once, and does not break the terminal', async () => {
  const { recording, file, ends, errors, show } = await givenRecording()
  await file[Symbol.asyncDispose]()
  for (let count = 0; count < 3; count += 1) show(Buffer.alloc(70_000, 'x'))
  await recording.end()
  expect(errors.length).toBeGreaterThan(0)
  expect(ends).toEqual([
    {
      bytes: 0,
      milliseconds: expect.any(Number),
      problem: 'The server could not write the recording. Its disk may be full.',
    },
  ])
})

test('unreadable frames are not recorded, and the end is recorded once', async () => {
  const { recording, ends, readAll } = await givenRecording()
  recording.fromMachine(Buffer.from([1]))
  recording.fromPerson(encodeChannelText(0, { type: 'resize', cols: -1, rows: 'many' }))
  await recording.end()
  await recording.end()
  recording.fromMachine(encodeChannelText(7, { type: 'exit', exit_code: 0 }))
  expect(ends).toHaveLength(1)
  expect(await readAll()).toHaveLength(1)
})
