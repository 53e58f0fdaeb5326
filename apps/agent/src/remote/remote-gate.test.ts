import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { CommandName, commands } from '@muster/contract/agent/commands'
import { DEFAULT_REMOTE_RULES, type RemoteRules } from '@muster/rules/remote/remote-rules'
import { wallClockAt } from '@muster/rules/schedules/zone-time'
import { expect, test } from 'vitest'
import { REMOTE_COMMANDS } from '../requests/remote.ts'
import { os } from '../os/index.ts'
import { TestChannel } from './terminal/test-channel.ts'
import { type GivenAgent, givenAgent } from '../testing/given.ts'

const DAY_MS = 86_400_000
const FORBIDDEN = 'Remote tools are disabled on this machine.'

function setRules(server: GivenAgent['server'], rules: Partial<RemoteRules>, revision = 'r1') {
  const input = { revision, rules: { ...DEFAULT_REMOTE_RULES, ...rules } }
  server.command(server.sign('set-remote-rules', input))
}

/** Hours of the machine's own clock, from `from` minutes from now on. */
function hoursAround(fromMinutes: number, toMinutes: number, nowMs = Date.now()) {
  const wallMs = wallClockAt(os.readTimeZone(), nowMs)
  const time = (minutes: number) => new Date(wallMs + minutes * 60_000).toISOString().slice(11, 16)
  return { weekdays: [0, 1, 2, 3, 4, 5, 6], from: time(fromMinutes), to: time(toMinutes) }
}

const replyOf = (server: GivenAgent['server']) =>
  server.until(() => server.frames.find((frame) => frame.type === 'reply'))

test('the machine refuses a disabled terminal, even when the server requests it', async () => {
  const { server } = await givenAgent()
  setRules(server, { forbidden: true })
  const terminal = new TestChannel(server)
  expect(await replyOf(server)).toMatchObject({ refused: FORBIDDEN })
  expect(terminal.news).toEqual([])
  setRules(server, {}, 'r2')
  await new TestChannel(server).opened()
})

test('outside of its hours the machine refuses, and reports the hours', async () => {
  const { server } = await givenAgent()
  setRules(server, { hours: hoursAround(60, 120) })
  void new TestChannel(server)
  expect(await replyOf(server)).toMatchObject({
    refused: expect.stringMatching(/^Remote tools may be used on this machine every day from \d\d:\d\d to/),
  })
  setRules(server, { hours: hoursAround(-60, 120) }, 'r2')
  await new TestChannel(server).opened()
})

test.each([
  ['list-folder', { path: 'Lw', after: null, search: '' }],
  ['control-service', { name: 'cron.service', action: 'restart' }],
  ['end-process', { pid: 4711, start: '1', force: false, tree: false }],
] as const)('a machine with disabled remote tools refuses %s', async (name, input) => {
  const { server } = await givenAgent()
  setRules(server, { forbidden: true })
  server.command(server.sign(name, input))
  expect(await replyOf(server)).toMatchObject({ refused: FORBIDDEN })
})

test('every remote command is refused when remote tools are disabled', () => {
  expect(Object.keys(commands).filter((name) => !REMOTE_COMMANDS.has(CommandName.parse(name)))).toEqual([
    // Not remote tools: runs, reports, patches, checks, tasks and settings.
    'run-command',
    'run-script',
    'cancel',
    'report-facts',
    'report-software',
    'scan-patches',
    'install-patches',
    'install-package',
    'upgrade-package',
    'remove-package',
    'install-file',
    'set-checks',
    'run-checks',
    'set-tasks',
    'run-task',
    'watch-metrics',
    'watch-processes',
    'set-remote-rules',
    'end-session',
    'drop-upload',
    'change-power',
    'plan-power',
    'cancel-power',
    'reboot-if-nobody',
    'send-wake-up',
    'update-agent',
    'uninstall',
  ])
})

test('a machine with disabled remote tools refuses the files of jobs', async () => {
  const { server } = await givenAgent({ expectedWarnings: [/command refused/] })
  setRules(server, { forbidden: true })
  const limits = { timeout_seconds: 60, output_cap_bytes: 1000 }
  const push = { path: 'L2V0Yy9tb3Rk', bytes: 1, sha256: 'f'.repeat(64), token: 'x'.repeat(20), job: 1 }
  const input = { ...push, mode: null, owner: null, overwrite: true, ...limits }
  server.command(server.sign('push-file', input, { payload: { history_id: 5 } }))
  expect(await server.result(5)).toMatchObject({ outcome: 'refused', reason: FORBIDDEN })
})

test('an open terminal ends when it is disabled, also without a viewer', async () => {
  const { server } = await givenAgent()
  const [watched, left] = [new TestChannel(server), new TestChannel(server)]
  await Promise.all([watched.opened(), left.opened()])
  left.close('detached')
  setRules(server, { forbidden: true })
  expect(await watched.ended()).toEqual({ code: 'not_allowed', message: FORBIDDEN })
  const ended = () => server.reports.filter((report) => report.kind === 'session-ended')
  await server.until(() => ended().length === 2)
  expect(ended().map(({ reason }) => reason)).toEqual([FORBIDDEN, FORBIDDEN])
})

test('a terminal ends when the hours end', async () => {
  let shiftMs = 0
  const { server } = await givenAgent({ agent: { now: () => Date.now() + shiftMs } })
  setRules(server, { hours: hoursAround(-60, 60) })
  const terminal = await new TestChannel(server).opened()
  shiftMs = 2 * 3_600_000
  expect(await terminal.ended()).toMatchObject({ code: 'not_allowed' })
})

test('rules survive a restart without a server, and their revision is reported', async () => {
  const given = await givenAgent()
  expect(given.server.answers.at(-1)?.remote_rules).toBe('')
  setRules(given.server, { forbidden: true }, 'r7')
  void new TestChannel(given.server)
  await replyOf(given.server)
  await given.restart()
  expect(given.server.answers.at(-1)?.remote_rules).toBe('r7')
  const before = given.server.frames.length
  void new TestChannel(given.server)
  await given.server.until(() => given.server.frames.slice(before).some(({ type }) => type === 'reply'))
})

test('rules that were changed on disk deny access, and are requested again', async () => {
  const expectedWarnings = [/failed to read the remote rules/]
  const { server, agent, folder, start } = await givenAgent({ expectedWarnings })
  setRules(server, { consent: 'require' })
  await server.until(() => agent.link !== undefined && readStored(folder) !== undefined)
  expect(readStored(folder)).not.toContain('require')
  await agent[Symbol.asyncDispose]()
  const database = new DatabaseSync(join(folder, 'state.db'))
  database.prepare("update kept set value = 'sealed1.AAAA' where name = 'remote_rules'").run()
  database.close()
  const up = server.untilUp()
  await start()
  await up
  expect(server.answers.at(-1)?.remote_rules).toBe('unreadable')
  void new TestChannel(server)
  expect(await replyOf(server)).toMatchObject({ refused: expect.stringContaining('are not readable') })
})

function readStored(folder: string): string | undefined {
  using database = new DatabaseSync(join(folder, 'state.db'), { readOnly: true })
  const row = database.prepare("select value from kept where name = 'remote_rules'").get()
  return row === undefined ? undefined : String(row.value)
}

test('on a day without hours the machine refuses all day', async () => {
  const { server } = await givenAgent()
  const today = new Date(wallClockAt(os.readTimeZone(), Date.now())).getUTCDay()
  const other = new Date(wallClockAt(os.readTimeZone(), Date.now() + 3 * DAY_MS)).getUTCDay()
  expect(other).not.toBe(today)
  setRules(server, { hours: { ...hoursAround(-60, 60), weekdays: [other] } })
  void new TestChannel(server)
  expect(await replyOf(server)).toMatchObject({
    refused: expect.stringContaining('Remote tools may be used'),
  })
})
