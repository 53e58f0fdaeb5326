import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { runOnServer, type ServerCall, writtenText } from './run-on-server.ts'

const CALL: ServerCall = {
  interpreter: 'shell',
  body: 'echo hello',
  args: [],
  env_vars: [],
  secrets: [],
  timeoutSeconds: 20,
  mostOutput: 100,
}
async function run(call: Partial<ServerCall>, signal = new AbortController().signal) {
  const ended = await runOnServer({ ...CALL, ...call }, signal)
  return { ...ended, output: writtenText(ended) }
}

test('it gets its arguments as they are, and an environment without the settings of the server', async () => {
  vi.stubEnv('MUSTER_ADMIN_PASSWORD', 'hunter2hunter2')
  const body = '#!/bin/sh\nprintf "%s|" "$1" "$2" "$FROM" "$MUSTER_ADMIN_PASSWORD"; echo oops >&2; exit 3\n'
  const ended = await run({ body, args: ['a b', '$(id); rm -rf x'], env_vars: ['FROM=x=y'] })
  expect(ended.retcode).toBe(3)
  expect(writtenText(ended, 'stdout')).toBe('a b|$(id); rm -rf x|x=y||')
  expect(writtenText(ended, 'stderr')).toBe('oops\n')
})

test('its folder is gone afterwards, with what it wrote there', async () => {
  const { output } = await run({ body: 'touch made; pwd' })
  expect(output).toMatch(/muster-script-/)
  expect(existsSync(output.trim())).toBe(false)
})

test('it is ended at its time limit, with everything that it has started', async () => {
  const { retcode, reason, output } = await run({ body: 'sleep 600 & echo $!; wait', timeoutSeconds: 1 })
  expect(retcode).toBeNull()
  expect(reason).toBe('It was ended after 1 s.')
  await vi.waitFor(() => expect(isAlive(Number(output))).toBe(false))
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
  expect(await stopped).toMatchObject({ retcode: null, reason: 'The server stopped while it ran.' })
  const missing = await run({ body: '#!/no/such/program\n' })
  expect(missing).toMatchObject({
    retcode: null,
    reason: expect.stringMatching(/^It could not be started: /),
  })
})

test('a server that is killed takes it along, with everything that it has started and its folder', async () => {
  const body = 'sleep 600 & sleep 1; echo $$ $! "$PWD" > "$TOLD"; wait'
  const program = `
    import { runOnServer } from ${JSON.stringify(join(import.meta.dirname, 'run-on-server.ts'))}
    const call = ${JSON.stringify({ ...CALL, body, timeoutSeconds: 600 })}
    call.env_vars = ['TOLD=' + process.env.TOLD]
    await runOnServer(call, new AbortController().signal)`
  const told = join(await mkdtemp(join(tmpdir(), 'muster-test-')), 'told')
  const server = spawn(process.execPath, ['--input-type=module', '-e', program], {
    env: { ...process.env, TOLD: told },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const words = () => readFileSync(told, 'utf8').trim().split(' ')
  await vi.waitFor(() => expect(words()).toHaveLength(3), { timeout: 20_000 })
  const [script, child, folder = ''] = words()
  const left = () => [isAlive(Number(script)), isAlive(Number(child)), existsSync(folder)]
  expect(left()).toEqual([true, true, true])
  server.kill('SIGKILL')
  await vi.waitFor(() => expect(left()).toEqual([false, false, false]), { timeout: 10_000 })
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
