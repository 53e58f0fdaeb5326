import { existsSync, readFileSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { runOnServer, type ServerCall } from './run-on-server.ts'

const CALL: ServerCall = {
  interpreter: 'shell',
  body: 'echo hello',
  args: [],
  env_vars: [],
  secrets: [],
  timeoutSeconds: 20,
  mostOutput: 100,
}
const run = (call: Partial<ServerCall>, signal = new AbortController().signal) =>
  runOnServer({ ...CALL, ...call }, signal)

test('it gets its arguments as they are, and an environment without the settings of the server', async () => {
  vi.stubEnv('MUSTER_ADMIN_PASSWORD', 'hunter2hunter2')
  const body = '#!/bin/sh\nprintf "%s|" "$1" "$2" "$FROM" "$MUSTER_ADMIN_PASSWORD"; echo oops >&2; exit 3\n'
  const { retcode, output } = await run({ body, args: ['a b', '$(id); rm -rf x'], env_vars: ['FROM=x=y'] })
  expect(retcode).toBe(3)
  expect(output).toContain('a b|$(id); rm -rf x|x=y||')
  expect(output).toContain('oops')
})

test('its folder is gone afterwards, with what it wrote there', async () => {
  const { output } = await run({ body: 'touch made; pwd' })
  expect(output).toMatch(/muster-script-/)
  expect(existsSync(output.trim())).toBe(false)
})

test('it is ended at its time limit, with everything that it has started', async () => {
  const { retcode, output } = await run({ body: 'sleep 600 & echo $!; wait', timeoutSeconds: 1 })
  expect(retcode).toBeNull()
  const [reason, pid] = output.split('\n')
  expect(reason).toBe('It was ended after 1 s.')
  await vi.waitFor(() => expect(isAlive(Number(pid))).toBe(false))
})

test('what it leaves running does not keep it from being over', async () => {
  const { retcode, output } = await run({ body: 'sleep 600 & echo $!' })
  expect(retcode).toBe(0)
  await vi.waitFor(() => expect(isAlive(Number(output))).toBe(false))
})

test('so much of its output is kept, and no secret', async () => {
  const long = await run({ body: 'yes | head -c 5000000' })
  expect(long).toMatchObject({ retcode: 0 })
  expect(long.output).toHaveLength(100)
  const { output } = await run({ body: 'echo "$KEY"', env_vars: ['KEY=swordfish'], secrets: ['swordfish'] })
  expect(output).not.toContain('swordfish')
})

test('a server that stops ends it, and one that lacks its program says so', async () => {
  const stop = new AbortController()
  const stopped = run({ body: 'sleep 600' }, stop.signal)
  stop.abort()
  expect(await stopped).toMatchObject({ retcode: null, output: 'The server stopped while it ran.' })
  const missing = await run({ body: '#!/no/such/program\n' })
  expect(missing).toMatchObject({
    retcode: null,
    output: expect.stringMatching(/^It could not be started: /),
  })
})

test('Python and Node run as well', async () => {
  expect(await run({ interpreter: 'node', body: 'console.log(6 * 7)' })).toMatchObject({ output: '42\n' })
  expect(await run({ interpreter: 'python', body: 'print(6 * 7)' })).toMatchObject({ output: '42\n' })
})

/** One that has ended and that nobody has asked for has no command line any more. */
function isAlive(pid: number): boolean {
  const file = `/proc/${pid}/cmdline`
  return existsSync(file) && readFileSync(file, 'utf8') !== ''
}
