import { CHANNEL_KIND, CHANNEL_WINDOW_BYTES, encodeChannelFrame } from '@muster/contract/agent/channel'
import { expect, test, vi } from 'vitest'
import { givenAgent } from '../../testing/given.ts'
import { isAlive } from '../../testing/is-alive.ts'
import { TestChannel } from './test-channel.ts'

const ESCAPE = String.fromCodePoint(27)
const pidIn = (text: string, mark: string) => Number(new RegExp(`${mark}=(\\d+)`).exec(text)?.[1])

test('a shell runs in a terminal with input, size, colours and exit code', async () => {
  const { server } = await givenAgent()
  const terminal = await new TestChannel(server, { cols: 91, rows: 33 }).opened()
  expect(terminal.news[0]).toMatchObject({ type: 'opened', session: terminal.session, resumed: false })
  terminal.type('stty size; test -t 0 && echo "is a $TERM"\n')
  expect(await terminal.until(/is a xterm-256color\r\n/)).toContain('33 91')
  terminal.resize(120, 40)
  terminal.type('stty size; printf "\\033[31mrot\\033[0m\\n"\n')
  expect(await terminal.until(new RegExp(`${ESCAPE}\\[31mrot`))).toContain('40 120')
  terminal.type('exit 7\n')
  expect(await terminal.ended()).toEqual({ code: 'ended', message: 'The shell has ended.' })
  expect(terminal.news.at(-1)).toEqual({ type: 'exit', exit_code: 7 })
  await server.until(() => server.reports.some(({ kind }) => kind === 'session-ended'))
  expect(server.reports.find(({ kind }) => kind === 'session-ended')).toMatchObject({
    session: terminal.session,
    exit_code: 7,
    reason: 'The shell has ended.',
  })
})

test('input and a new size before the shell starts are not lost', async () => {
  const { server } = await givenAgent()
  const terminal = new TestChannel(server)
  terminal.resize(77, 22)
  terminal.type('stty size; echo early=$((1 + 1))\n')
  expect(await terminal.until(/early=2\r\n/)).toContain('22 77')
})

test('closing the window ends all processes of the terminal', async () => {
  const { server } = await givenAgent()
  const terminal = await new TestChannel(server).opened()
  terminal.type('nohup setsid sleep 4711 >/dev/null 2>&1 & echo child=$! shell=$$\n')
  const text = await terminal.until(/child=\d+ shell=\d+/)
  const pids = [pidIn(text, 'child'), pidIn(text, 'shell')]
  expect(pids.map((pid) => isAlive(pid))).toContain(true)
  terminal.close('closed')
  await server.until(() => server.reports.some(({ kind }) => kind === 'session-ended'))
  expect(pids.map((pid) => isAlive(pid))).toEqual([false, false])
})

test('a reconnected window resumes its terminal with the output in between, for its owner only', async () => {
  const { server } = await givenAgent()
  const first = await new TestChannel(server).opened()
  first.type('echo before; read line; echo "got $line"\n')
  await first.until(/before\r\n/)
  first.close('detached')
  const stranger = new TestChannel(server, { session: first.session, author: 'mallory' })
  expect(await stranger.ended()).toMatchObject({ code: 'not_found' })
  const second = await new TestChannel(server, { session: first.session }).opened()
  expect(second.news[0]).toMatchObject({ resumed: true, session: first.session })
  await second.until(/before\r\n/)
  second.type('here\n')
  await second.until(/got here\r\n/)
})

test('the later of two windows takes the terminal', async () => {
  const { server } = await givenAgent()
  const first = await new TestChannel(server).opened()
  await new TestChannel(server, { session: first.session }).opened()
  expect(await first.ended()).toMatchObject({ code: 'closed' })
})

test('a terminal without a viewer ends after the timeout', async () => {
  const { server } = await givenAgent({ agent: { keepTerminalMs: 50 } })
  const terminal = await new TestChannel(server).opened()
  terminal.close('detached')
  await server.until(() => server.reports.some(({ kind }) => kind === 'session-ended'))
  expect(await new TestChannel(server, { session: terminal.session }).ended()).toMatchObject({
    code: 'not_found',
  })
})

test('a terminal survives a lost link', async () => {
  const { server } = await givenAgent()
  const first = await new TestChannel(server).opened()
  const up = server.untilUp()
  server.socket?.terminate()
  await up
  expect(server.answers.at(-1)?.sessions).toEqual([first.session])
  await new TestChannel(server, { session: first.session }).opened()
})

test('an agent that stops ends its terminals, and reports that after its next start', async () => {
  const { server, agent, start } = await givenAgent()
  const terminal = await new TestChannel(server).opened()
  terminal.type('echo shell=$$\n')
  const pid = pidIn(await terminal.until(/shell=\d+\r/), 'shell')
  await agent[Symbol.asyncDispose]()
  expect(isAlive(pid)).toBe(false)
  const up = server.untilUp()
  await start()
  await up
  expect(server.answers.at(-1)?.sessions).toEqual([])
})

test('a flood waits for credit, and keys of another terminal pass it', async () => {
  const { server } = await givenAgent()
  const flood = await new TestChannel(server).opened()
  flood.type('stty -echo; head -c 3000000 /dev/zero | tr "\\0" x; echo; echo all=there\n')
  await server.until(() => flood.byteCount > CHANNEL_WINDOW_BYTES - 1000)
  const other = await new TestChannel(server).opened()
  other.type('echo quick\n')
  await other.until(/quick\r\n/)
  expect(flood.byteCount).toBeLessThanOrEqual(CHANNEL_WINDOW_BYTES)
  flood.readAll()
  await flood.until(/all=there/)
  expect(flood.byteCount).toBeGreaterThan(3_000_000)
})

test('input that a program does not read gets no more credit than one window', async () => {
  const { server } = await givenAgent()
  const terminal = await new TestChannel(server).opened()
  terminal.type('stty raw -echo; echo ready=1; sleep 1000\n')
  await terminal.until(/ready=1/)
  const page = new Uint8Array(32 * 1024).fill(120)
  for (let sent = 0; sent < 2 * CHANNEL_WINDOW_BYTES; sent += page.length) terminal.type(page)
  expect(await terminal.ended()).toMatchObject({ code: 'over_window' })
})

test('invalid frames are refused one by one, and the link stays', async () => {
  const { server } = await givenAgent()
  const terminal = await new TestChannel(server).opened()
  server.sendRaw(Buffer.from([0, 1]))
  server.sendRaw(Buffer.alloc(0))
  const unknown = encodeChannelFrame({ kind: CHANNEL_KIND.data, channel: 999_999, payload: Buffer.from('x') })
  server.sendRaw(unknown)
  server.sendRaw(Buffer.concat([Buffer.from([9]), unknown.subarray(1)]))
  await server.until(() => server.channelFrames.filter(({ channel }) => channel === 999_999).length === 2)
  server.sendRaw(Buffer.alloc(1024 * 1024))
  terminal.type('echo still here\n')
  await terminal.until(/still here\r\n/)
  expect(server.links).toBe(1)
})

test('a machine opens sixteen terminals, and no channel twice', async () => {
  const { server } = await givenAgent()
  const terminals: TestChannel[] = []
  for (let count = 0; count < 16; count += 1) terminals.push(await new TestChannel(server).opened())
  expect(await new TestChannel(server).ended()).toMatchObject({ code: 'too_many' })
  const [first] = terminals
  if (first === undefined) throw new Error('there is one')
  const input = { tool: 'terminal' as const, session: first.session, resume: true, cols: 80, rows: 24 }
  server.command(server.sign('open-channel', { channel: first.id, tool: input }))
  first.type('echo untouched\n')
  await first.until(/untouched\r\n/)
  await vi.waitFor(() => expect(first.end).toBeUndefined())
})
