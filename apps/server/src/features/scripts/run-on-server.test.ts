import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
async function run(call: Partial<ServerCall>, signal = new AbortController().signal) {
  const ended = await runOnServer({ ...CALL, ...call }, signal)
  return { ...ended, output: ended.stdout }
}

test('it gets its arguments literally, and an environment without the settings of the server', async () => {
  vi.stubEnv('MUSTER_ADMIN_PASSWORD', 'hunter2hunter2')
  const body = '#!/bin/sh\nprintf "%s|" "$1" "$2" "$FROM" "$MUSTER_ADMIN_PASSWORD"; echo oops >&2; exit 3\n'
  const ended = await run({ body, args: ['a b', '$(id); rm -rf x'], env_vars: ['FROM=x=y'] })
  expect(ended.retcode).toBe(3)
  expect(ended).toMatchObject({ stdout: 'a b|$(id); rm -rf x|x=y||', stderr: 'oops\n' })
})

test.each(['', '\uFEFF'])(
  'a script from a Windows editor runs in the program of its first line, after %j',
  async (mark) => {
    const python = '#!/usr/bin/env python3\r\nprint("python")\r\n'
    expect(await run({ body: mark + python })).toMatchObject({ retcode: 0, stdout: 'python\n', stderr: '' })
    const plain = 'if true; then\r\n  echo fine\r\nfi\r\n'
    expect(await run({ body: mark + plain })).toMatchObject({ retcode: 0, stdout: 'fine\n', stderr: '' })
  },
)

test('its folder is deleted afterwards with its files', async () => {
  const { output } = await run({ body: 'touch made; pwd' })
  expect(output).toMatch(/muster-script-/)
  expect(existsSync(output.trim())).toBe(false)
})

test('it is killed at its time limit, with all of its child processes', async () => {
  const { retcode, reason, output } = await run({ body: 'sleep 600 & echo $!; wait', timeoutSeconds: 1 })
  expect(retcode).toBeNull()
  expect(reason).toBe('The script was killed after 1 s.')
  await vi.waitFor(() => expect(isAlive(Number(output))).toBe(false))
})

test('remaining child processes do not delay its end', async () => {
  const { retcode, output } = await run({ body: 'sleep 600 & echo $!' })
  expect(retcode).toBe(0)
  await vi.waitFor(() => expect(isAlive(Number(output))).toBe(false))
})

test('its output is limited, and secrets are masked', async () => {
  const body = 'yes | head -c 5000000; echo end; echo "FATAL: disk failed" >&2; exit 3'
  const long = await run({ body, mostOutput: 200 })
  expect(long).toMatchObject({ retcode: 3, stderr: 'FATAL: disk failed\n' })
  expect(long.output).toMatch(/^y\ny\n.*\n\[[\d,]+ characters left out here\]\n.*\nend\n$/s)
  expect(long.output.length).toBeLessThanOrEqual(200)
  const { output } = await run({ body: 'echo "$KEY"', env_vars: ['KEY=swordfish'], secrets: ['swordfish'] })
  expect(output).not.toContain('swordfish')
  const key = 'MIIEvQIBADANBgkqhkiG\nw0BAQEFAASCBKcwggSj'
  const lines = await run({
    body: 'echo "$KEY" | head -1; echo $KEY',
    env_vars: [`KEY=${key}`],
    secrets: [key],
  })
  expect(lines.output).toBe('••••••\n••••••\n')
})

test('a stopping server kills it, and a missing interpreter is reported', async () => {
  const stop = new AbortController()
  const stopped = run({ body: 'sleep 600' }, stop.signal)
  stop.abort()
  expect(await stopped).toMatchObject({ retcode: null, reason: 'The server stopped while the script ran.' })
  const missing = await run({ body: '#!/no/such/program\n' })
  expect(missing).toMatchObject({
    retcode: null,
    reason: expect.stringMatching(/^The script could not be started: /),
  })
})

test('a killed server takes it along, with its child processes and its folder', async () => {
  const body = 'sleep 600 & sleep 1; echo $$ $! "$PWD" > "$OUTPUT_FILE"; wait'
  const program = `
    import { runOnServer } from ${JSON.stringify(join(import.meta.dirname, 'run-on-server.ts'))}
    const call = ${JSON.stringify({ ...CALL, body, timeoutSeconds: 600 })}
    call.env_vars = ['OUTPUT_FILE=' + process.env.OUTPUT_FILE]
    await runOnServer(call, new AbortController().signal)`
  const outputFile = join(await mkdtemp(join(tmpdir(), 'muster-test-')), 'output')
  const server = spawn(process.execPath, ['--input-type=module', '-e', program], {
    env: { ...process.env, OUTPUT_FILE: outputFile },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const words = () => readFileSync(outputFile, 'utf8').trim().split(' ')
  await vi.waitFor(() => expect(words()).toHaveLength(3))
  const [script, child, folder = ''] = words()
  const left = () => [isAlive(Number(script)), isAlive(Number(child)), existsSync(folder)]
  expect(left()).toEqual([true, true, true])
  server.kill('SIGKILL')
  await vi.waitFor(() => expect(left()).toEqual([false, false, false]))
})

test('Python and Node run as well', async () => {
  expect(await run({ interpreter: 'node', body: 'console.log(6 * 7)' })).toMatchObject({ output: '42\n' })
  expect(await run({ interpreter: 'python', body: 'print(6 * 7)' })).toMatchObject({ output: '42\n' })
})

/** A zombie has no command line. */
function isAlive(pid: number): boolean {
  const file = `/proc/${pid}/cmdline`
  return existsSync(file) && readFileSync(file, 'utf8') !== ''
}
