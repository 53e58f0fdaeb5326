import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { buildPrograms } from './build.ts'
import { Program, ROOT } from './program.ts'

const STARTER = join(ROOT, 'deploy/start.mjs')
const LISTENING = /^muster listening on (\S+)$/

let dataFolder: string

beforeAll(async () => {
  buildPrograms()
  dataFolder = await mkdtemp(join(tmpdir(), 'muster start '))
})

afterAll(() => rm(dataFolder, { recursive: true, force: true }))

function start(env: Record<string, string> = {}): Program {
  // From a folder that is not the project's: it must not matter.
  return new Program(process.execPath, [STARTER], {
    cwd: tmpdir(),
    env: { ...process.env, MUSTER_DATA: dataFolder, MUSTER_PORT: '0', ...env },
  })
}

async function isAnswering(url: string): Promise<boolean> {
  return fetch(`${url}/health/`).then(
    ({ ok }) => ok,
    () => false,
  )
}

test('a signal that comes twice stops the server once, in order', async () => {
  await using program = start()
  const [, url = ''] = await program.waitForLine(LISTENING)
  expect(await isAnswering(url)).toBe(true)
  process.kill(program.pid, 'SIGINT')
  expect(await program.stop('SIGINT')).toBe(0)
  expect(await isAnswering(url)).toBe(false)
  expect(program.output()).toContain('"stopped"')
})

test('a starter that is killed does not leave its server behind', async () => {
  await using program = start()
  const [, url = ''] = await program.waitForLine(LISTENING)
  process.kill(program.pid, 'SIGKILL')
  await vi.waitFor(async () => expect(await isAnswering(url)).toBe(false), { interval: 100 })
})

test('a wrong setting ends the start with its one line and the exit code of the server', async () => {
  await using program = start({ MUSTER_PORT: 'many' })
  expect(await program.ended).toBe(2)
  expect(program.stderr).toEqual([expect.stringMatching(/^muster: MUSTER_PORT is not valid/)])
})
