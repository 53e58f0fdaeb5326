import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { runProgram, startProgram } from '../testing/agent-process.ts'
import { givenFolder, givenServer } from '../testing/given.ts'
import { GOOD_TOKEN, TestServer } from '../testing/test-server.ts'
import { LONG_PATIENCE_MS } from '../../../../tools/patience.ts'

function givenPending(server_url: string, token: string, folder = givenFolder()) {
  const file = join(folder, 'enrolment.json')
  writeFileSync(file, JSON.stringify({ server_url, token, ca_pem: null }))
  return { folder, file }
}

test('an agent that starts before its server is reachable enrols later, and deletes the token', async () => {
  const server = new TestServer()
  const port = await server.listen()
  await server[Symbol.asyncDispose]()
  const { folder, file } = givenPending(`http://127.0.0.1:${port}`, GOOD_TOKEN)
  const agent = startProgram('run', '--data', folder)
  await vi.waitFor(() => expect(agent.stderr()).toContain('connection refused'), {
    timeout: LONG_PATIENCE_MS,
  })
  const next = server.successor()
  onTestFinished(() => next[Symbol.asyncDispose]())
  await next.listen(port)
  await next.untilUp()
  expect(existsSync(file)).toBe(false)
  expect(agent.stderr()).not.toContain(GOOD_TOKEN)
})

test('an enrolled machine keeps its identity when the token of a repeated installation has expired', async () => {
  const { server, url } = await givenServer()
  const folder = givenFolder()
  await runProgram('enrol', '--server', url, '--token', GOOD_TOKEN, '--data', folder)
  const identity = readFileSync(join(folder, 'agent.json'), 'utf8')
  const { file } = givenPending(url, 'a-token-that-has-expired', folder)
  const up = server.untilUp()
  const agent = startProgram('run', '--data', folder)
  await up
  expect(readFileSync(join(folder, 'agent.json'), 'utf8')).toBe(identity)
  expect(existsSync(file)).toBe(false)
  expect(agent.stderr()).toContain('This enrolment token has expired.')
})

test('an agent that waits for its enrolment stops at once', async () => {
  const { url } = await givenServer()
  const { folder, file } = givenPending(url, 'a-token-that-has-expired')
  const agent = startProgram('run', '--data', folder)
  await vi.waitFor(() => expect(agent.stderr()).toContain('machine not enrolled yet'), {
    timeout: LONG_PATIENCE_MS,
  })
  agent.child.kill('SIGTERM')
  expect(await agent.ended).toMatchObject({ code: 0 })
  expect(existsSync(file)).toBe(true)
})
