import { readdirSync } from 'node:fs'
import { spawn } from 'node:child_process'
import { expect, onTestFinished, test } from 'vitest'
import { givenAgent } from '../../testing/given.ts'
import { givenDisplay, listListening, readProc, TestDesktop } from './test-desktop.ts'

test('the desktop is shown by a VNC server on loopback, with a password that no process list shows', async () => {
  const display = await givenDisplay()
  const { server, folder } = await givenAgent()
  const desktop = new TestDesktop(server)
  const opened = await desktop.opened()
  expect(opened).toMatchObject({ session: desktop.session, display, server: 'x11vnc' })
  expect(opened.displays[0]).toBe(display)
  expect(opened.password).toMatch(/^[\w-]{8}$/)
  const size = await desktop.viewer.connect(opened.password ?? '')
  expect(size).toEqual({ width: 1280, height: 800 })

  const [pid = 0, ...others] = desktop.processes
  expect(others).toEqual([])
  const args = readProc(pid, 'cmdline').split('\0')
  expect(args.join(' ')).not.toContain(String(opened.password))
  const port = Number(args[args.indexOf('-rfbport') + 1])
  const hex = port.toString(16).toUpperCase().padStart(4, '0')
  expect(listListening().filter((local) => local.endsWith(`:${hex}`))).toEqual([`0100007F:${hex}`])
  expect(readdirSync(folder, { recursive: true }).filter((name) => String(name).includes('vnc-'))).toEqual([])
  desktop.ping(7)
  await server.until(() => desktop.news.some((news) => news.type === 'pong' && news.number === 7))

  desktop.close('closed')
  expect(await desktop.reported()).toBe('Closed.')
  expect(desktop.processes).toEqual([])
  expect(listListening().filter((local) => local.endsWith(`:${hex}`))).toEqual([])
})

test('a key press changes the picture', async () => {
  const display = await givenDisplay('400x300')
  const xterm = spawn('xterm', ['-fullscreen', '-fa', 'mono', '-e', 'cat'], {
    env: { ...process.env, DISPLAY: display },
  })
  onTestFinished(() => void xterm.kill())
  const { server } = await givenAgent()
  const desktop = new TestDesktop(server)
  const { password } = await desktop.opened()
  const size = await desktop.viewer.connect(password ?? '')
  if (size === undefined) throw new Error('the password is right')
  const white = async () =>
    (await desktop.viewer.look(size)).reduce((sum, byte) => sum + Number(byte > 200), 0)
  while ((await white()) < 10_000);
  const before = await white()
  // `cat` echoes each key.
  while ((await white()) === before) desktop.viewer.press(0x57)
})

test('two windows share one desktop and its input, and the end of one leaves the other open', async () => {
  const display = await givenDisplay('400x300')
  const xterm = spawn('xterm', ['-fullscreen', '-fa', 'mono', '-e', 'cat'], {
    env: { ...process.env, DISPLAY: display },
  })
  onTestFinished(() => void xterm.kill())
  const { server } = await givenAgent()
  const open = async () => {
    const desktop = new TestDesktop(server)
    const { password } = await desktop.opened()
    const size = await desktop.viewer.connect(password ?? '')
    if (size === undefined) throw new Error('the password is right')
    const white = async () =>
      (await desktop.viewer.look(size)).reduce((sum, byte) => sum + Number(byte > 200), 0)
    return { desktop, white }
  }
  const [one, other] = [await open(), await open()]
  expect([one.desktop.processes.length, other.desktop.processes.length]).toEqual([1, 1])
  while ((await one.white()) < 10_000);
  const before = await other.white()
  while ((await other.white()) === before) one.desktop.viewer.press(0x57)
  one.desktop.close('closed')
  await one.desktop.reported()
  expect(one.desktop.processes).toEqual([])
  const later = await other.white()
  while ((await other.white()) === later) other.desktop.viewer.press(0x57)
  expect(other.desktop.end).toBeUndefined()
})

test('a wrong password is refused, and the VNC server exits', async () => {
  await givenDisplay()
  const { server } = await givenAgent()
  const desktop = new TestDesktop(server)
  await desktop.opened()
  expect(await desktop.viewer.connect('guessed!')).toBeUndefined()
  expect(await desktop.ended()).toMatchObject({ code: 'ended' })
  await desktop.reported()
  expect(desktop.processes).toEqual([])
})
