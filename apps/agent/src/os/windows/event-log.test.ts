import { chmodSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { givenFolder } from '../../testing/given.ts'
import { linuxProbes } from '../linux/probes.ts'
import { macosProbes } from '../macos/probes.ts'
import { eventArgs, findWindowsEvents, parseEvent } from './event-log.ts'
import { windowsProbes } from './probes.ts'

const SEARCH = {
  log_name: 'System',
  event_type: 'ERROR',
  event_id: 0,
  event_id_is_wildcard: true,
  event_source: null,
  event_message: null,
  search_last_days: 1,
} as const

const event = (source: string, id: number, message: string, rendered = true) =>
  `<Event xmlns='http://schemas.microsoft.com/win/2004/08/events/event'><System><Provider Name='${source}' ` +
  `Guid='{555908d1-a6d7-4695-8e1e-26931d2012f4}' EventSourceName='Other'/><EventID Qualifiers='49152'>${id}</EventID>` +
  `<Version>0</Version><Level>2</Level><TimeCreated SystemTime='2026-03-01T12:00:00.1234567Z'/>` +
  `<EventRecordID>5</EventRecordID></System><EventData><Data Name='param1'>Spooler</Data><Data>42</Data></EventData>` +
  (rendered
    ? `<RenderingInfo Culture='en-US'><Message>${message}</Message><Level>Error</Level></RenderingInfo>`
    : '') +
  '</Event>'

test('an event with its message', () => {
  expect(parseEvent(event('Service Control Manager', 7034, 'A &lt;b&gt; &amp; &#x263a;\r\nended.'))).toEqual({
    at: new Date('2026-03-01T12:00:00.123Z'),
    source: 'Service Control Manager',
    eventId: '7034',
    message: 'A <b> & ☺\r\nended.',
  })
})

test('an event of an uninstalled program shows its data', () => {
  expect(parseEvent(event('Gone', 1, '', false))?.message).toBe('Spooler, 42')
  for (const text of ['', '<Event>', "<TimeCreated SystemTime='never'/>"])
    expect(parseEvent(text)).toBeUndefined()
})

test.each([
  [{}, '*[System[(Level=1 or Level=2) and TimeCreated[timediff(@SystemTime) <= 86400000]]]'],
  [
    { event_type: 'INFO', event_id: 7036, event_id_is_wildcard: false, search_last_days: 0 },
    '*[System[(Level=0 or Level=4) and (EventID=7036)]]',
  ],
  [{ event_type: 'WARNING', search_last_days: 0 }, '*[System[(Level=3)]]'],
  [{ event_type: 'AUDIT_SUCCESS', search_last_days: 0 }, '*[System[band(Keywords,9007199254740992)]]'],
  [{ event_type: 'AUDIT_FAILURE', search_last_days: 0 }, '*[System[band(Keywords,4503599627370496)]]'],
] as const)('the query for %j', (more, query) => {
  expect(eventArgs({ ...SEARCH, ...more })).toContain(`/q:${query}`)
})

test('events are matched by parts of source and message, whatever wevtutil writes', async () => {
  const folder = givenFolder()
  const file = join(folder, 'wevtutil')
  const events = [
    event('Disk', 7, 'Bad block'),
    event('disk', 8, 'A bad BLOCK again'),
    event('Net', 9, 'Bad block'),
  ]
  writeFileSync(join(folder, 'out'), `\uFEFF${events.join('\r\n')}\r\n`, 'utf16le')
  writeFileSync(file, `#!/bin/sh\ncat ${folder}/out`)
  chmodSync(file, 0o755)
  vi.stubEnv('PATH', `${folder}${delimiter}${process.env.PATH}`)
  onTestFinished(() => void vi.unstubAllEnvs())
  const { signal } = new AbortController()
  const found = await findWindowsEvents(
    { ...SEARCH, event_source: 'disk', event_message: 'bad block' },
    signal,
  )
  expect(found).toMatchObject({ count: 2, isWhole: true })
  expect(found.entries.map(({ eventId }) => eventId)).toEqual(['7', '8'])
  writeFileSync(file, '#!/bin/sh\necho "Failed to read events. Access is denied." >&2; exit 5')
  await expect(findWindowsEvents(SEARCH, signal)).rejects.toThrow(
    'Failed to read the log System: Failed to read events. Access is denied.',
  )
  writeFileSync(file, '#!/bin/sh\nexit 0')
  await expect(findWindowsEvents(SEARCH, signal)).rejects.toThrow('wevtutil printed nothing')
})

test('other systems report that they have no event log', async () => {
  const { signal } = new AbortController()
  const journal = { unit: null, priority: 'err', event_message: null, search_last_minutes: 60 } as const
  await expect(linuxProbes.findEvents(SEARCH, signal)).rejects.toThrow(
    'Only Windows has an event log, and this machine runs Linux.',
  )
  await expect(macosProbes.findEvents(SEARCH, signal)).rejects.toThrow('runs macOS')
  await expect(macosProbes.findJournal(journal, signal)).rejects.toThrow(
    'has a journal, and this machine runs macOS',
  )
  await expect(windowsProbes.findJournal(journal, signal)).rejects.toThrow('runs Windows')
})
