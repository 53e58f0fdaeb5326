import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { givenFolder } from '../../testing/given.ts'
import { findJournalEntries, parseJournalLine } from './journal.ts'

const SEARCH = { unit: null, priority: 'err', event_message: null, search_last_minutes: 60 } as const
const find = (more: Partial<Parameters<typeof findJournalEntries>[0]> = {}) =>
  findJournalEntries({ ...SEARCH, ...more }, new AbortController().signal)

/** Puts a journalctl before the system's one in PATH. */
function givenJournalctl(body: string): string {
  const folder = givenFolder()
  const file = join(folder, 'journalctl')
  writeFileSync(file, `#!/bin/sh\n${body}\n`)
  chmodSync(file, 0o755)
  vi.stubEnv('PATH', `${folder}${delimiter}${process.env.PATH}`)
  onTestFinished(() => void vi.unstubAllEnvs())
  return folder
}

const line = (message: unknown, more: object = {}) =>
  JSON.stringify({
    __REALTIME_TIMESTAMP: '1772366400000000',
    SYSLOG_IDENTIFIER: 'backup',
    _PID: '77',
    MESSAGE: message,
    ...more,
  })

test('entries are counted, and the newest ones are returned, cut to length', async () => {
  const folder = givenJournalctl('printf "%s\\n" "$@" > "$(dirname "$0")/args"; cat "$(dirname "$0")/lines"')
  const lines = Array.from({ length: 60 }, (_, index) =>
    line(`${index % 2 === 0 ? 'Disk FULL' : 'fine'} ${index} ${'x'.repeat(2000)}`),
  )
  writeFileSync(join(folder, 'lines'), `${lines.join('\n')}\n`)
  const found = await find({ event_message: 'disk full', unit: 'backup.service', priority: 'warning' })
  expect(found).toMatchObject({ count: 30, isWhole: true })
  expect(found.entries).toHaveLength(20)
  expect(found.entries[0]).toMatchObject({ source: 'backup', eventId: '77' })
  expect(found.entries[0]?.message).toMatch(/^Disk FULL 0 x+$/)
  expect(found.entries[0]?.message).toHaveLength(500)
  expect(found.entries[0]?.at.toISOString()).toBe('2026-03-01T12:00:00.000Z')
  const args = execFileSync('cat', [join(folder, 'args')], { encoding: 'utf8' })
  expect(args).toContain('--unit=backup.service\n')
  expect(args).toContain('--priority=4\n')
  expect(args).toMatch(/--since=@\d{10}\n/)
})

test.each([
  ['bytes that are no UTF-8', [0x41, 0xff, 0x42], 'A\uFFFDB'],
  ['a message that was given twice', ['one', 'two'], 'one\ntwo'],
  ['no message', null, ''],
  ['a whole document', '{"a":"\\"}', '{"a":"\\"}'],
])('%s', (_, message, text) => {
  expect(parseJournalLine(line(message))?.message).toBe(text)
})

test('invalid entries are skipped', () => {
  for (const text of [
    '',
    '{',
    '5',
    'null',
    '[]',
    '{"MESSAGE":"x"}',
    line('x', { __REALTIME_TIMESTAMP: '9e99' }),
  ])
    expect(parseJournalLine(text)).toBeUndefined()
})

test('an endless journal is read until the limit, in little memory', async () => {
  givenJournalctl(`exec yes '${line('again')}'`)
  const before = process.memoryUsage.rss()
  await expect(find()).resolves.toMatchObject({ count: 100_000, isWhole: false })
  expect(process.memoryUsage.rss() - before).toBeLessThan(200 * 1024 * 1024)
})

test('an endless line does not fill the memory', async () => {
  givenJournalctl(`head -c 300000000 /dev/zero | tr '\\0' x; echo; echo '${line('after it')}'`)
  const before = process.memoryUsage.rss()
  await expect(find()).resolves.toMatchObject({ count: 1, isWhole: true })
  expect(process.memoryUsage.rss() - before).toBeLessThan(200 * 1024 * 1024)
})

test('an unreadable journal is reported with the message of journalctl', async () => {
  givenJournalctl('echo "Failed to search journal: Bad message" >&2; exit 1')
  await expect(find()).rejects.toThrow('Failed to read the journal: Failed to search journal: Bad message')
  givenJournalctl('echo "No journal files were found." >&2; echo "-- No entries --"')
  await expect(find()).rejects.toThrow('Failed to read the journal: No journal files were found.')
})

test('a removed check ends journalctl', async () => {
  givenJournalctl('exec sleep 60')
  const abort = new AbortController()
  setTimeout(() => abort.abort(), 100)
  await expect(findJournalEntries(SEARCH, abort.signal)).rejects.toThrow('Failed to run journalctl')
})

const JOURNALD = '/usr/lib/systemd/systemd-journald'

test('a real journal is searched by priority and text, if one can be created', async () => {
  if (process.getuid?.() !== 0 || !existsSync(JOURNALD))
    return expect(parseJournalLine(line('no journal can be made here'))).toBeDefined()
  const folder = givenFolder()
  const keyValues = join(folder, 'journal')
  mkdirSync(keyValues)
  const script = `set -eu
mount --make-rprivate /
mount -t tmpfs -o mode=755 run /run
mkdir -p /run/systemd/journal /run/systemd/journald.conf.d /run/log/journal
printf '[Journal]\\nReadKMsg=no\\n' > /run/systemd/journald.conf.d/kernel.conf
${JOURNALD} & journald=$!
until [ -S /run/systemd/journal/stdout ]; do sleep 0.02; done
echo 'The disk failed: ü <b>' | systemd-cat -t backup -p err
echo 'The disk is fine' | systemd-cat -t backup -p info
echo 'The fan failed' | systemd-cat -t sensors -p crit
journalctl --sync
cp -r /run/log/journal/. "$1"
kill $journald`
  execFileSync('unshare', ['--mount', 'sh', '-c', script, 'sh', keyValues], { stdio: 'pipe' })
  givenJournalctl(`exec /usr/bin/journalctl --directory=${keyValues} "$@"`)
  const all = await find()
  expect(all).toMatchObject({ count: 2, isWhole: true })
  expect(all.entries.map(({ source, message }) => [source, message])).toEqual([
    ['sensors', 'The fan failed'],
    ['backup', 'The disk failed: ü <b>'],
  ])
  expect(Math.abs(Date.now() - (all.entries[0]?.at.getTime() ?? 0))).toBeLessThan(60_000)
  await expect(find({ event_message: 'THE DISK ', priority: 'info' })).resolves.toMatchObject({ count: 2 })
  await expect(find({ unit: 'no-such.service' })).resolves.toMatchObject({ count: 0, isWhole: true })
})
