import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LogSearch } from '@muster/contract/agent/logs'
import { CHANNEL_WINDOW_BYTES } from '@muster/contract/agent/channel'
import { expect, test } from 'vitest'
import { ask } from '../files/test-files.ts'
import { givenAgent } from '../../testing/given.ts'
import { givenPrograms } from '../../testing/given-programs.ts'
import { isAlive } from '../../testing/is-alive.ts'
import { LogChannel } from './test-log-channel.ts'

const SOURCE = { kind: 'journal', unit: 'ssh.service', priority: 'warning' } as const
const SEARCH: LogSearch = { unit: null, priority: 'debug', since: null, until: null, search: '' }

const line = (message: unknown, more: object = {}) =>
  JSON.stringify({
    __REALTIME_TIMESTAMP: '1772366400000000',
    SYSLOG_IDENTIFIER: 'sshd',
    _SYSTEMD_UNIT: 'ssh.service',
    _PID: '77',
    PRIORITY: '4',
    MESSAGE: message,
    ...more,
  })

function givenJournal(body: string) {
  const folder = givenPrograms({ journalctl: `echo "$*" >>"$here/calls"; echo $$ >"$here/pid"\n${body}` })
  return {
    folder,
    calls: () => readFileSync(join(folder, 'calls'), 'utf8').trim(),
    pid: () => Number(readFileSync(join(folder, 'pid'), 'utf8')),
  }
}

test('the journal is read by unit, priority, time and part of the text', async () => {
  const { folder, calls } = givenJournal('cat "$here/lines"')
  const lines = [
    line('Accepted'),
    line('FAILED password', { PRIORITY: '3', __REALTIME_TIMESTAMP: '1772366399000001' }),
    line([0x1b, 0x5b, 0x32, 0x4a, 0xff], { SYSLOG_IDENTIFIER: undefined, _COMM: 'failed-app' }),
    'no entry',
    line('failed', { PRIORITY: '99', _PID: 'x' }),
  ]
  writeFileSync(join(folder, 'lines'), `${lines.join('\n')}\n`)
  const { server } = await givenAgent()
  const search = { unit: 'ssh.service', priority: 'err', since: 100, until: 200, search: 'failed' } as const
  const { answer } = await ask(server, 'read-log', search)
  expect(answer.complete).toBe(true)
  expect(answer.entries).toMatchObject([
    { message: 'FAILED password', priority: 'err', at_ms: 1772366399000, unit: 'ssh.service', pid: 77 },
    { message: '\u001B[2J\uFFFD', source: 'failed-app' },
    { message: 'failed', priority: 'info', pid: 0 },
  ])
  expect(calls()).toBe(
    '--output=json --output-fields=MESSAGE,PRIORITY,SYSLOG_IDENTIFIER,_COMM,_SYSTEMD_UNIT,_PID --all ' +
      '--reverse --no-pager --priority=3 --unit=ssh.service --since=@100 --until=@200',
  )
})

test('an endless journal is read until the reply is full', async () => {
  givenJournal(`exec yes '${line('again '.repeat(50))}'`)
  const { server } = await givenAgent()
  const { answer } = await ask(server, 'read-log', SEARCH)
  expect(answer.complete).toBe(false)
  expect(answer.entries).toHaveLength(500)
})

test('older entries are read from a position on, within the time range, up to the start of the log', async () => {
  const { folder, calls } = givenJournal(
    'case "$*" in *--after-cursor=*) cat "$here/older";; *) cat "$here/lines";; esac',
  )
  const at = (index: number) =>
    line('again', { __CURSOR: `s=a;i=${index}`, __REALTIME_TIMESTAMP: `${1772366400 - index}000000` })
  writeFileSync(join(folder, 'lines'), Array.from({ length: 600 }, (_, index) => at(index)).join('\n'))
  writeFileSync(join(folder, 'older'), [at(500), at(501), at(700)].join('\n'))
  const { server } = await givenAgent()
  const since = 1772366400 - 600
  const first = (await ask(server, 'read-log', { ...SEARCH, since })).answer
  expect([first.entries.length, first.complete, first.next]).toEqual([500, false, 's=a;i=499'])
  const older = (await ask(server, 'read-log', { ...SEARCH, since, before: 's=a;i=499' })).answer
  expect([older.entries.length, older.complete, older.next]).toEqual([2, true, undefined])
  expect(calls().split('\n').at(-1)).toMatch(/ --priority=7 --after-cursor=s=a;i=499$/)
})

test('an unreadable journal is reported with the message of journalctl', async () => {
  givenJournal('echo "No journal files were found." >&2')
  const { server } = await givenAgent()
  expect((await ask(server, 'read-log', SEARCH)).refused).toBe(
    'Failed to read the journal: No journal files were found.',
  )
  givenJournal('echo "Failed to open journal: Permission denied" >&2; exit 1')
  const channel = new LogChannel(server, SOURCE)
  expect(await channel.ended()).toEqual({
    code: 'refused',
    message: 'Failed to open journal: Permission denied',
  })
})

test('the journal is followed live, and nothing runs when the reader has left', async () => {
  const { calls, pid } = givenJournal('echo one; echo two; exec sleep 1000')
  const { server } = await givenAgent()
  const channel = new LogChannel(server, SOURCE)
  await channel.has('one\ntwo\n')
  expect(channel.news).toEqual([{ type: 'following', name: 'journalctl' }])
  expect(calls()).toBe(
    '--follow --lines=200 --output=short-iso --no-pager --quiet --priority=4 --unit=ssh.service',
  )
  expect(isAlive(pid())).toBe(true)
  channel.close()
  await server.until(() => !isAlive(pid()))
})

test('a journal that is written faster than it is read has to wait, and a lost link ends it', async () => {
  const { pid } = givenJournal(`exec yes '${'x'.repeat(200)}'`)
  const { server } = await givenAgent()
  const before = process.memoryUsage.rss()
  const channel = new LogChannel(server, SOURCE, { reads: false })
  await server.until(() => channel.bytes.length >= CHANNEL_WINDOW_BYTES - 1024)
  expect(process.memoryUsage.rss() - before).toBeLessThan(64 * 1024 * 1024)
  expect(isAlive(pid())).toBe(true)
  server.socket?.terminate()
  await server.until(() => !isAlive(pid()))
})
