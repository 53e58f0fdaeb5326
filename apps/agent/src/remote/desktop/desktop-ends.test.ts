import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { givenAgent } from '../../testing/given.ts'
import { givenPrograms } from '../../testing/given-programs.ts'
import { givenDisplay, TestDesktop } from './test-desktop.ts'

async function givenOpen(options: Parameters<typeof givenAgent>[0] = {}) {
  await givenDisplay('320x200')
  const given = await givenAgent(options)
  const desktop = new TestDesktop(given.server)
  const { password } = await desktop.opened()
  await desktop.viewer.connect(password ?? '')
  expect(desktop.processes).toHaveLength(1)
  return { ...given, desktop }
}

test.each(['closed', 'detached', 'not_allowed', 'session_ended', 'over_window'] as const)(
  'after the end %s no process and no port is left on the machine',
  async (code) => {
    const { desktop } = await givenOpen()
    desktop.close(code)
    await desktop.reported()
    expect(desktop.processes).toEqual([])
  },
)

test('a lost link ends the desktop, and that end is reported later instead of a restart of the agent', async () => {
  const { server, desktop } = await givenOpen()
  const up = server.untilUp()
  server.socket?.terminate()
  await up
  expect(server.answers.at(-1)?.sessions).toEqual([desktop.session])
  expect(await desktop.reported()).toBe('The link to the machine was lost.')
  expect(desktop.processes).toEqual([])
})

test('ending a session by its id, and stopping the agent, leave nothing running', async () => {
  const { server, desktop, agent } = await givenOpen()
  server.command(server.sign('end-session', { session: desktop.session }))
  expect(await desktop.reported()).toMatch(/^Ended by /)
  expect(desktop.processes).toEqual([])
  const second = new TestDesktop(server)
  await second.opened()
  await agent[Symbol.asyncDispose]()
  expect(second.processes).toEqual([])
})

test('a VNC server that dies ends the session with a message', async () => {
  const { desktop } = await givenOpen()
  for (const pid of desktop.processes) process.kill(pid, 'SIGKILL')
  expect(await desktop.ended()).toMatchObject({ code: 'ended', message: expect.stringMatching(/VNC server/) })
})

test('a window that closes while the VNC server starts leaves nothing running', async () => {
  await givenDisplay('320x200')
  givenPrograms({ x11vnc: 'exec sleep 4713' })
  const { server, folder } = await givenAgent()
  const desktop = new TestDesktop(server)
  await server.until(() => desktop.processes.length === 1)
  desktop.close('detached')
  await desktop.reported()
  expect(desktop.processes).toEqual([])
  expect(readdirSync(folder, { recursive: true }).filter((name) => String(name).includes('vnc-'))).toEqual([])
})

test('a VNC server that cannot start reports the reason', async () => {
  await givenDisplay('320x200')
  givenPrograms({ x11vnc: 'echo "22/11/2026 10:00:00 XOpenDisplay(\\":1\\") failed." >&2; exit 1' })
  const { server } = await givenAgent()
  const end = await new TestDesktop(server).ended()
  expect(end).toEqual({
    code: 'refused',
    message: 'The VNC server (x11vnc) failed to show the desktop: XOpenDisplay(":1") failed.',
  })
})

test('a missing display is refused', async () => {
  await givenDisplay('320x200')
  const { server } = await givenAgent()
  const desktop = new TestDesktop(server, { tool: 'desktop', display: ':4999' })
  expect(await desktop.ended()).toEqual({
    code: 'refused',
    message: 'Display :4999 no longer exists on this machine.',
  })
  expect(await desktop.reported()).toContain(':4999')
})
