import { LINK_PATH } from '@muster/contract/agent/link'
import { expect, onTestFinished, test, vi } from 'vitest'
import { PATIENCE_MS } from '../../../../tools/patience.ts'
import { openPlainProxy } from '../../../../tools/plain-proxy.ts'
import { runProgram, startProgram } from '../testing/agent-process.ts'
import { givenFolder, givenServer } from '../testing/given.ts'
import { GOOD_TOKEN } from '../testing/test-server.ts'

async function givenProxy(port: number): Promise<string> {
  const proxy = await openPlainProxy(`http://127.0.0.1:${port}`)
  onTestFinished(() => proxy[Symbol.dispose]())
  return proxy.url
}

test('an agent behind a proxy that does not pass WebSockets says so in its log and its status', async () => {
  const { server, port } = await givenServer()
  let refused = 0
  server.onRequest = ({ url: path }, response) => {
    if (path === LINK_PATH) refused += 1
    response.writeHead(path === LINK_PATH ? 426 : 404).end()
  }
  const url = await givenProxy(port)
  const folder = givenFolder()
  const agent = startProgram('enrol', '--server', url, '--token', GOOD_TOKEN, '--data', folder, '--run')
  await vi.waitFor(() => expect(refused).toBeGreaterThan(2), PATIENCE_MS)
  const cause = `a proxy between this machine and the server does not pass WebSockets. See ${url}/docs/reverse-proxy/`
  const warnings = agent
    .stderr()
    .split('\n')
    .filter((line) => line.includes('no WebSocket to the server'))
  expect(warnings.map((line) => line.includes(cause))).toEqual([true])
  const { code, stdout } = await runProgram('status', '--data', folder)
  expect(stdout).toMatch(/^link {6}down since /m)
  expect(stdout).toContain(`: ${cause}\n`)
  expect(code).toBe(3)
})

test('an agent names the status with which a server refuses the link', async () => {
  const { server, port } = await givenServer()
  server.onRequest = (_request, response) => void response.writeHead(502).end()
  const url = await givenProxy(port)
  const folder = givenFolder()
  startProgram('enrol', '--server', url, '--token', GOOD_TOKEN, '--data', folder, '--run')
  const status = async () => (await runProgram('status', '--data', folder)).stdout
  await expect
    .poll(status, { timeout: PATIENCE_MS })
    .toContain('the server or a proxy in front of it answered with status 502')
})
