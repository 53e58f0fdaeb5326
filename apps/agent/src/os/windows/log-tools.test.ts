import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LogSearch } from '@muster/contract/agent/logs'
import { expect, test, vi } from 'vitest'
import type { Channel, ChannelUser } from '../../remote/channels/channel.ts'
import { ChannelRoom } from '../../remote/files/channel-room.ts'
import { givenPrograms } from '../../testing/given-programs.ts'
import { linuxLogTools } from '../linux/log-tools.ts'
import { windowsLogTools } from './log-tools.ts'

const SEARCH: LogSearch = { unit: null, priority: 'debug', since: null, until: null, search: '' }

/** Output of `wevtutil qe System /f:RenderedXml`. */
const event = (
  record: number,
  level: number,
  source: string,
  message: string,
  keywords = '0x80000000000000',
) =>
  `<Event xmlns='http://schemas.microsoft.com/win/2004/08/events/event'><System><Provider Name='${source}' ` +
  `Guid='{555908d1-a6d7-4695-8e1e-26931d2012f4}'/><EventID Qualifiers='16384'>7036</EventID><Version>0</Version>` +
  `<Level>${level}</Level><Task>0</Task><Opcode>0</Opcode><Keywords>${keywords}</Keywords>` +
  `<TimeCreated SystemTime='2026-03-01T12:00:0${record}.1234567Z'/><EventRecordID>${record}</EventRecordID><Correlation/>` +
  `<Execution ProcessID='612' ThreadID='4242'/><Channel>System</Channel><Computer>PC-12</Computer><Security/></System>` +
  `<EventData><Data Name='param1'>Spooler</Data></EventData><RenderingInfo Culture='en-US'><Message>${message}</Message>` +
  `<Level>Information</Level></RenderingInfo></Event>`

function givenLog(...events: string[]) {
  const folder = givenPrograms({
    wevtutil: `printf '%s\\n' "$*" >>"$here/calls"\ncase "$*" in *EventRecordID*) exec cat "$here/later";; esac\ncat "$here/out"`,
  })
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text, 'utf16le')
  write('out', `\uFEFF${events.join('\r\n')}\r\n`)
  write('later', '')
  return { write, calls: () => readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n') }
}

test('Windows events are read by log, level, source, id, time and text', async () => {
  const { calls } = givenLog(
    event(9, 1, 'Kernel-Power', 'Lost &lt;b&gt; power &amp; more'),
    event(8, 0, 'Security-Auditing', 'Logon failed', '0x8010000000000000'),
    event(7, 2, 'Other', 'power'),
    '<Event>nonsense</Event>',
    event(6, 5, 'Kernel-Power', 'power of debugging'),
  )
  const whole = await windowsLogTools.read(SEARCH)
  expect(whole.complete).toBe(true)
  expect(whole.entries.map(({ priority }) => priority)).toEqual(['crit', 'warning', 'err', 'debug'])
  expect(whole.entries[0]).toEqual({
    at_ms: Date.parse('2026-03-01T12:00:09.123Z'),
    priority: 'crit',
    source: 'Kernel-Power',
    unit: 'System',
    pid: 612,
    event_id: 7036,
    message: 'Lost <b> power & more',
  })
  const found = await windowsLogTools.read({
    ...SEARCH,
    log: 'Microsoft-Windows-TaskScheduler/Operational',
    priority: 'warning',
    event_id: 7036,
    since: 1772366400,
    until: 1772370000,
    source: 'kernel',
    search: 'POWER',
  })
  expect(found.entries.map(({ priority }) => priority)).toEqual(['crit', 'debug'])
  expect(calls()).toEqual([
    'qe System /q:* /f:RenderedXml /uni:true /rd:true',
    'qe Microsoft-Windows-TaskScheduler/Operational /q:*[System[(Level=1 or Level=2 or Level=3 or ' +
      "band(Keywords,4503599627370496)) and (EventID=7036) and TimeCreated[@SystemTime>='2026-03-01T12:00:00.000Z'] " +
      "and TimeCreated[@SystemTime<='2026-03-01T13:00:00.000Z']]] /f:RenderedXml /uni:true /rd:true",
  ])
})

test('a log without matches is empty, and a wevtutil that prints nothing at all is an error', async () => {
  givenPrograms({ wevtutil: 'case "$1" in gli) echo "numberOfLogRecords: 0";; esac' })
  expect(await windowsLogTools.read(SEARCH)).toEqual({ entries: [], complete: true })
  givenPrograms({ wevtutil: 'true' })
  const why = 'Failed to read the log System: wevtutil printed nothing, not even about the log.'
  await expect(windowsLogTools.read(SEARCH)).rejects.toThrow(why)
})

test('an unreadable log and a log of another system are refused with a message', async () => {
  givenPrograms({ wevtutil: 'echo "Failed to open event query. Access is denied." >&2; exit 5' })
  const security = windowsLogTools.read({ ...SEARCH, log: 'Security' })
  await expect(security).rejects.toThrow('Failed to read the log Security: Failed to open event query.')
  await expect(windowsLogTools.read({ ...SEARCH, unit: 'ssh.service' })).rejects.toThrow('have no units')
  givenPrograms({ journalctl: 'exit 0' })
  await expect(linuxLogTools.read({ ...SEARCH, log: 'System' })).rejects.toThrow('no Windows event logs')
})

test('an endless log is read until the reply is full', async () => {
  givenLog(...Array.from({ length: 700 }, (_, index) => event(index % 10, 4, 'Noise', 'x'.repeat(300))))
  const found = await windowsLogTools.read(SEARCH)
  expect(found.entries).toHaveLength(500)
  expect(found.complete).toBe(false)
})

test('older events are read from a position on', async () => {
  const { write, calls } = givenLog(...Array.from({ length: 501 }, () => event(9, 4, 'Service', 'again')))
  const first = await windowsLogTools.read(SEARCH)
  expect([first.entries.length, first.complete, first.next]).toEqual([500, false, '9'])
  write('later', event(3, 4, 'Service', 'the first of all'))
  const older = await windowsLogTools.read({ ...SEARCH, before: '9' })
  expect(older).toMatchObject({ entries: [{ message: 'the first of all' }], complete: true })
  expect(calls().at(-1)).toBe('qe System /q:*[System[(EventRecordID<9)]] /f:RenderedXml /uni:true /rd:true')
})

test('a followed event log sends existing events, then new ones, each once', async () => {
  const { write, calls } = givenLog(event(2, 3, 'Disk', 'second\r\n  line'), event(1, 4, 'Disk', 'first'))
  let text = ''
  let user: ChannelUser | undefined
  const channel = {
    isFull: false,
    isOver: false,
    use: (given: ChannelUser) => void (user = given),
    sendText: (message: unknown) => void (text += `${JSON.stringify(message)}\n`),
    sendData: (bytes: Uint8Array) => void (text += Buffer.from(bytes).toString()),
  }
  // The part of a channel that is written to here.
  const room = new ChannelRoom(channel as unknown as Channel)
  const source = { kind: 'eventlog', log: 'System', priority: 'debug' } as const
  const following = windowsLogTools.follow(room, source)
  const reported = [
    '{"type":"following","name":"System"}',
    '2026-03-01T12:00:01.123Z info Disk 7036: first',
    '2026-03-01T12:00:02.123Z warning Disk 7036: second | line',
  ]
  await vi.waitFor(() => expect(text.trim().split('\n')).toEqual(reported))
  write('later', event(3, 2, 'Disk', 'third'))
  await vi.waitFor(() => expect(text).toContain('Disk 7036: third\n'))
  write('later', '')
  await vi.waitFor(() => expect(calls().join('\n')).toContain('EventRecordID>3 or '))
  expect(calls().find((call) => call.includes('EventRecordID>2'))).toContain(
    "(EventRecordID>2 or TimeCreated[@SystemTime>='2026-03-01T12:00:02.124Z'])",
  )
  user?.onEnd({ code: 'closed', message: 'Closed.' })
  await expect(following).rejects.toThrow()
})
