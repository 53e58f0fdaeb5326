import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Program, ROOT } from '../support/program.ts'
import { addClient, makeToken } from '../support/seed.ts'
import { signIn } from '../support/sign-in.ts'
import { startServer } from '../support/start-server.ts'

const MAIN = join(ROOT, 'packages/fake-agent/src/main.ts')

async function run(...args: string[]) {
  await using program = new Program(process.execPath, [MAIN, ...args], { env: process.env })
  return { code: await program.ended, text: program.output() }
}

test('npm run fleet: so many machines for so many seconds', async () => {
  await using server = await startServer()
  const session = await signIn(server.url, server.admin)
  const token = await makeToken(session, await addClient(session, 'Acme'))
  const wanted = ['--server', server.url, '--token', token, '--agents', '20']
  expect(await run(...wanted, '--seconds', '3')).toEqual({
    code: 0,
    text: expect.stringMatching(/all 20 enrolled[^]*20 of 20 connected/),
  })
  expect((await run(...wanted, '--seconds', 'soon')).text).toContain('--seconds must be a whole number')
})

test('npm run fleet says how it is used', async () => {
  expect(await run('--agents', '20')).toEqual({ code: 1, text: expect.stringContaining('usage: ') })
})
