import { readdirSync, readFileSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { givenAgent, type GivenAgent } from '../testing/given.ts'
import { isAlive } from '../testing/is-alive.ts'

/** Standby shells. */
function listWaiting(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => readText(`/proc/${pid}/stat`).split(') ')[1]?.split(' ')[1] === String(process.pid))
    .filter((pid) => readText(`/proc/${pid}/cmdline`) === '/bin/sh\0')
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

async function untilOneWaits({ server }: GivenAgent): Promise<number> {
  await server.until(() => listWaiting().length === 1)
  return listWaiting()[0] ?? 0
}

/** The environment of a command; its process id goes to the other stream. */
const LOOK = `echo $$ >&2
env | grep -v -e MUSTER_RUN -e OWN | sort; env | grep -c MUSTER_RUN; pwd; umask
tr '\\0' ' ' </proc/$$/cmdline; ps -o ppid= -p $$; test $$ = $(ps -o sid= -p $$) && echo leads
grep -e SigBlk -e SigIgn /proc/self/status; ls -l /proc/self/fd; exit 7`

/** Without values that differ between any two runs: names of pipes, times and process ids. */
function alike(output: string): string {
  return output.replaceAll(/^.* (\d+ -> )/gm, '$1').replaceAll(/pipe-[^/]*|\/proc\/\d+/g, '')
}

test.each(['sh', 'bash'] as const)('a %s from a standby shell equals one that was started', async (shell) => {
  const given = await givenAgent()
  const { server } = given
  server.runShell(1, 'true')
  await server.result(1)
  const waiting = await untilOneWaits(given)
  // Another environment: a new process.
  server.runShell(2, LOOK, { shell, env_vars: ['OWN=x'] })
  await server.result(2)
  server.runShell(3, LOOK, { shell })
  await expect(server.result(3)).resolves.toMatchObject({ outcome: 'exited', retcode: 7 })
  expect(server.outputOf(2, 'stderr')).not.toBe(`${waiting}\n`)
  expect(server.outputOf(3, 'stderr')).toBe(`${waiting}\n`)
  expect(server.outputOf(3)).toContain('leads')
  expect(alike(server.outputOf(3))).toBe(alike(server.outputOf(2)))
})

test('a killed standby shell is replaced, and exits with its agent', async () => {
  const given = await givenAgent()
  const { server, agent } = given
  server.runShell(1, 'true')
  await server.result(1)
  process.kill(await untilOneWaits(given), 'SIGKILL')
  await server.until(() => listWaiting().length === 0)
  server.runShell(2, 'echo two')
  await expect(server.result(2)).resolves.toMatchObject({ outcome: 'exited', retcode: 0 })
  expect(server.outputOf(2)).toBe('two\n')
  const waiting = await untilOneWaits(given)
  await agent[Symbol.asyncDispose]()
  await vi.waitFor(() => expect(isAlive(waiting)).toBe(false))
})
