import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { givenAgent } from '../../testing/given.ts'
import { isAlive } from '../../testing/is-alive.ts'
import { TestChannel } from './test-channel.ts'

/** Running processes of this terminal: a shell, a job of it, and one that has left its group. */
const countLeft = (session: string) =>
  readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && environmentOf(pid).includes(`MUSTER_RUN=${session}\0`) && isAlive(pid)).length

function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8')
  } catch {
    return ''
  }
}

async function givenBusyTerminal(options: Parameters<typeof givenAgent>[0] = {}) {
  const given = await givenAgent(options)
  const terminal = await new TestChannel(given.server).opened()
  terminal.type('trap "" HUP; sleep 4711 & nohup setsid sleep 4712 >/dev/null 2>&1 & echo go=$((1 + 1))\n')
  await terminal.until(/go=2\r\n/)
  // A process that is starting shows no marks yet.
  await given.server.until(() => countLeft(terminal.session) === 3)
  return { ...given, terminal }
}

test.each(['closed', 'not_allowed', 'session_ended', 'not_found'] as const)(
  'after the end %s no process is left on the machine',
  async (code) => {
    const { server, terminal } = await givenBusyTerminal()
    terminal.close(code)
    await server.until(() => server.reports.some(({ kind }) => kind === 'session-ended'))
    expect(countLeft(terminal.session)).toBe(0)
  },
)

test('ending a session without a viewer leaves nothing running', async () => {
  const { server, terminal } = await givenBusyTerminal()
  terminal.close('detached')
  server.command(server.sign('end-session', { session: terminal.session }))
  await server.until(() => server.reports.some(({ kind }) => kind === 'session-ended'))
  expect(countLeft(terminal.session)).toBe(0)
})

test('a machine that was deleted on the server ends its terminals at once', async () => {
  const { server, terminal } = await givenBusyTerminal({ expectedWarnings: [/server rejected this agent/] })
  server.agents.clear()
  server.socket?.terminate()
  await server.until(() => countLeft(terminal.session) === 0)
})

test('a terminal that no longer exists is reported as ended', async () => {
  const { server } = await givenAgent()
  const session = crypto.randomUUID()
  expect(await new TestChannel(server, { session }).ended()).toMatchObject({ code: 'not_found' })
  await server.until(() =>
    server.reports.some((report) => report.kind === 'session-ended' && report.session === session),
  )
})
