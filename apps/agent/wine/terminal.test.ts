import { mkdirSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ask } from '../src/remote/files/test-files.ts'
import { TestChannel } from '../src/remote/terminal/test-channel.ts'
import { WineAgent } from './wine-agent.ts'

/** Wine gives the first process in a pseudo-console no handles of it; the next one opens them by name. */
const SHELL = 'C:\\terminal test\\shell.cmd'
let agent: WineAgent

beforeAll(async () => {
  agent = await WineAgent.start()
  mkdirSync(agent.machine.hostPath('C:\\terminal test'))
  writeFileSync(agent.machine.hostPath(SHELL), '@cmd.exe /d <CON >CON 2>&1\r\n')
})
afterAll(() => agent[Symbol.asyncDispose]())

async function open(): Promise<TestChannel> {
  const channel = await new TestChannel(agent.server, { request: { shell: SHELL } }).opened()
  channel.readAll()
  await channel.until(/>\S*$/)
  return channel
}

const pings = () => agent.machine.listProcesses().filter((line) => /ping\S* -n 600/.test(line))

test('a shell prompts, echoes and prints Unicode, and its exit code arrives', async () => {
  const channel = await open()
  expect(channel.opening).toMatchObject({ shell: SHELL })
  channel.type('echo äöü 雪 %MUSTER_RUN%\r')
  await channel.until(new RegExp(`äöü 雪 ${channel.session}`))
  channel.resize(100, 30)
  channel.type('exit 7\r')
  expect(await channel.ended()).toEqual({ code: 'ended', message: 'The shell has ended.' })
  expect(channel.news.at(-1)).toEqual({ type: 'exit', exit_code: 7 })
})

test('closing a terminal ends all its processes, also of parents that have ended', async () => {
  const channel = await open()
  channel.type('start ping -n 600 127.0.0.1\r')
  channel.type('ping -n 600 127.0.0.1\r')
  await expect.poll(() => pings().length).toBe(2)
  channel.close('closed')
  await expect.poll(() => pings().length).toBe(0)
  await expect
    .poll(() => agent.machine.listProcesses().filter((line) => line.includes('shell.cmd')))
    .toEqual([])
})

test('a window that reconnects sees the recent output', async () => {
  const channel = await open()
  channel.type('echo kept-^output\r')
  await channel.until(/kept-output/)
  channel.close('detached')
  const again = await new TestChannel(agent.server, { session: channel.session }).opened()
  again.readAll()
  await again.until(/kept-output/)
  again.type('exit\r')
  await again.ended()
})

test('a shell that does not exist is refused, and the shells of the machine are listed', async () => {
  const channel = new TestChannel(agent.server, { request: { shell: 'C:\\none.exe' } })
  expect((await channel.ended()).code).toBe('no_shell')
  const { answer } = await ask(agent.server, 'list-shells', {})
  expect(answer.shells.map(({ name }) => name)).toContain('cmd')
})
