import type { RecordedEvent } from '@muster/contract/api/remote'
import { expect, test } from 'vitest'
import { findText, layOut, plainTextOf, writeAsciicast } from './cast.ts'

const ESC = '\u001b'
const out = (ms: number, text: string): RecordedEvent => [ms, 'o', text]

test('pauses are skipped or kept, and times never go back', () => {
  const events = [out(500, 'a'), out(900, 'b'), out(600_000, 'c'), out(599_000, 'd'), out(600_500, 'e')]
  expect(layOut(events, { skipPauses: false })).toMatchObject({
    atMs: [0, 400, 599_500, 599_500, 600_000],
    lengthMs: 600_000,
  })
  expect(layOut(events, { skipPauses: true }).atMs).toEqual([0, 400, 2400, 2400, 2900])
  expect(layOut([], { skipPauses: true })).toMatchObject({ lengthMs: 0 })
})

test('words are found across events and colours', () => {
  const events: RecordedEvent[] = [
    [0, 'r', '80x24'],
    out(1, `${ESC}]0;title${ESC}\\$ rm ${ESC}[3`),
    out(2, `1m-r`),
    [3, 'm', 'rm -rf'],
    out(4, `f${ESC}[0m /tmp\r\n`),
    out(5, `RM -RF again`),
  ]
  const plain = plainTextOf(events)
  expect(plain.text).toBe('$ rm -rf /tmp\nRM -RF again')
  expect(findText(plain, 'rm -rf')).toEqual([4, 5])
  expect(findText(plain, 'title')).toEqual([])
  expect(findText(plain, '')).toEqual([])
})

test('an unterminated sequence hides only itself, and the search is fast', () => {
  const events = [
    out(0, `${ESC}P${'x'.repeat(500_000)}`),
    out(1, `${ESC}\\seen`),
    out(2, `${ESC}[${'1;'.repeat(200_000)}`),
  ]
  expect(findText(plainTextOf(events), 'seen')).toEqual([1])
})

test('the file for other players is asciicast', () => {
  const about = { width: 80, height: 24, startedAt: '2026-11-22T10:00:00.500Z', title: 'PC-12' }
  expect(writeAsciicast([out(1500, 'hi\n')], about).split('\n')).toEqual([
    '{"version":2,"width":80,"height":24,"timestamp":1795341600,"title":"PC-12"}',
    '[1.5,"o","hi\\n"]',
    '',
  ])
})
