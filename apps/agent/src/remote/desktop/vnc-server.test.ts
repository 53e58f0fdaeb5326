import { expect, test } from 'vitest'
import { givenFolder } from '../../testing/given.ts'
import { type VncServer, startVncServer } from './vnc-server.ts'

const NOBODY = 65_534
/** Simulates another user who takes the port that the process list shows for the VNC server. */
const program = (user: number | undefined) => ({
  name: 'x11vnc',
  path: process.execPath,
  args: ({ port }: { port: number }) => [
    '-e',
    `${user === undefined ? '' : `process.setuid(${user});`}
     require('net').createServer((socket) => socket.on('close', () => process.exit())).listen(${port}, '127.0.0.1')`,
  ],
  writePassword: (password: string) => Buffer.from(password),
})

const start = (user: number | undefined): Promise<VncServer> =>
  startVncServer(program(user), {
    display: { name: ':0', authority: undefined },
    marker: 'vnc-test',
    folder: givenFolder(),
    signal: new AbortController().signal,
  })

test('a listener of another user is not mistaken for the VNC server', async () => {
  // Only root can start processes of another user.
  const isRoot = process.getuid?.() === 0
  if (isRoot) await expect(start(NOBODY)).rejects.toThrow('Another user of this machine uses the port')
  const { socket } = await start(undefined)
  socket.destroy()
})
