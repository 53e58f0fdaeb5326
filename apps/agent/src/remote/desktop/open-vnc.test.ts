import { createServer, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { givenAgent } from '../../testing/given.ts'
import { TestDesktop } from './test-desktop.ts'

/** Listens on loopback; returns the port. */
async function givenListener(onConnection: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined))
    onConnection(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a port has a number')
  return address.port
}

test('VNC to a port passes bytes both ways, and the connection ends with the window', async () => {
  const received: string[] = []
  const closed = Promise.withResolvers<void>()
  const port = await givenListener((socket) => {
    socket.write('RFB 003')
    socket.write('.008\n')
    socket.on('data', (bytes) => received.push(bytes.toString()))
    socket.on('close', () => closed.resolve())
  })
  const { server } = await givenAgent()
  const window = new TestDesktop(server, { tool: 'vnc', host: '127.0.0.1', port })
  expect(await window.opened()).toMatchObject({ display: `127.0.0.1:${port}`, server: 'VNC', password: null })
  expect((await window.viewer.take(12)).toString()).toBe('RFB 003.008\n')
  window.send(Buffer.from('RFB 003.008\n'))
  await server.until(() => received.join('') === 'RFB 003.008\n')
  window.close('closed')
  await closed.promise
  expect(await window.reported()).toBe('Closed.')
})

test('a server with another protocol is refused with a message, and receives nothing', async () => {
  let received = 0
  const port = await givenListener((socket) => {
    socket.on('data', ({ length }) => (received += length))
    socket.write('HTTP/1.1 400 Bad Request\r\n')
  })
  const { server } = await givenAgent()
  const window = new TestDesktop(server, { tool: 'vnc', host: '127.0.0.1', port })
  window.send(Buffer.from('EVIL'))
  expect(await window.ended()).toEqual({
    code: 'refused',
    message: `127.0.0.1:${port} is not a VNC server.`,
  })
  expect(received).toBe(0)
})

test('a server that closes at once is refused, and so is a closed port', async () => {
  const port = await givenListener((socket) => socket.end())
  const { server } = await givenAgent()
  const hungUp = new TestDesktop(server, { tool: 'vnc', host: '127.0.0.1', port })
  expect((await hungUp.ended()).message).toBe(`127.0.0.1:${port} is not a VNC server.`)
  const nothing = new TestDesktop(server, { tool: 'vnc', host: '127.0.0.1', port: 1 })
  expect(await nothing.ended()).toEqual({
    code: 'refused',
    message: 'The machine cannot reach 127.0.0.1:1: connection refused.',
  })
})

test('a window that closes before a response leaves no connection', async () => {
  const connected = Promise.withResolvers<Socket>()
  const port = await givenListener((socket) => connected.resolve(socket))
  const { server } = await givenAgent()
  const window = new TestDesktop(server, { tool: 'vnc', host: '127.0.0.1', port })
  const socket = await connected.promise
  const closed = new Promise((resolve) => socket.once('close', resolve))
  window.close('detached')
  await closed
  expect(await window.reported()).toBe('Closed.')
})
