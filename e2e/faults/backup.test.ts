import { randomBytes } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listAgentHistory, sendCommand } from '@muster/contract/api/runs'
import { expect, onTestFinished, test, vi } from 'vitest'
import { waitForMachine } from '../load/measure-api.ts'
import { Program, ROOT } from '../support/program.ts'
import { addClient, makeToken } from '../support/seed.ts'
import { signIn } from '../support/sign-in.ts'
import { startAgent } from '../support/start-agent.ts'
import { startServer, TestServer } from '../support/start-server.ts'

const LARGE_MB = 100

function givenFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'muster-e2e-backup-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A backup takes some time with this file. */
function addLargeFile(dataFolder: string): void {
  mkdirSync(join(dataFolder, 'recordings'), { recursive: true })
  for (let count = 0; count < LARGE_MB; count += 1)
    appendFileSync(join(dataFolder, 'recordings', 'large'), randomBytes(1024 * 1024))
}

/** Runs `npm run backup` or `restore` without npm. */
function run(command: 'backup' | 'restore', file: string, dataFolder: string): Program {
  const env = { ...process.env, MUSTER_DATA: dataFolder, MUSTER_BACKUP_PASSPHRASE: 'seventeen green bottles' }
  return new Program(process.execPath, [join(ROOT, `apps/server/src/${command}.ts`), file], { env })
}

async function runToEnd(command: 'backup' | 'restore', file: string, dataFolder: string): Promise<string> {
  await using program = run(command, file, dataFolder)
  const code = await program.ended
  return `${code} ${program.output()}`
}

/** Kills the command as soon as a file is there. */
async function killWhen(path: string, program: Program): Promise<void> {
  await vi.waitFor(() => expect(existsSync(path)).toBe(true), { interval: 5 })
  expect(program.isRunning).toBe(true)
  await program.stop('SIGKILL')
}

test('a machine whose run was open during the backup goes on with the restored server', async () => {
  const folder = givenFolder()
  await using server = await startServer()
  addLargeFile(server.dataFolder)
  const before = await signIn(server.url, server.admin)
  const token = await makeToken(before, await addClient(before, 'Acme'))
  await using _agent = await startAgent({ server: server.url, token })
  const params = { agent_id: await waitForMachine(before, 'Acme') }
  const signal = join(folder, 'go')
  const cmd = `while [ ! -e '${signal}' ]; do sleep 0.2; done; echo released`
  // Its end comes to the restored server.
  await before.call(sendCommand, { params, body: { shell: 'sh', cmd, timeout: 900, wait: false } })
  const states = async (session: typeof before) =>
    (await session.call(listAgentHistory, { params, query: {} })).map((run) => [run.command, run.state])
  await vi.waitFor(async () => expect(await states(before)).toEqual([[cmd, 'running']]))

  // Killed in the middle, a backup leaves no file of that name, and the next one succeeds.
  const file = join(folder, 'muster.backup')
  await killWhen(`${file}.partial`, run('backup', file, server.dataFolder))
  expect(existsSync(file)).toBe(false)
  const echo = (text: string) => ({ shell: 'sh', cmd: `echo ${text}`, timeout: 60 }) as const
  expect(await before.call(sendCommand, { params, body: echo('meanwhile') })).toMatchObject({ retcode: 0 })
  expect(await runToEnd('backup', file, server.dataFolder)).toMatch(
    /^0 Backup written and verified: \S+ \(\d+ tables with \d+ rows, \d+ files with 10\d MB\)\.$/,
  )
  expect(existsSync(`${file}.partial`)).toBe(false)
  await addClient(before, 'Too late')
  expect(await server.stop()).toBe(0)
  server.expectCleanLog()

  // Killed in the middle, a restore keeps the server from starting, and starts over.
  const dataFolder = join(folder, 'restored')
  await killWhen(join(dataFolder, 'muster.restoring'), run('restore', file, dataFolder))
  await using unfinished = new TestServer({ dataFolder })
  await expect(unfinished.start()).rejects.toThrow(
    `muster: The restore into ${dataFolder} has not finished. Run npm run restore again with the same file.`,
  )
  expect(await runToEnd('restore', file, dataFolder)).toMatch(/^0 Restored and compared: /)
  expect(await runToEnd('restore', file, dataFolder)).toBe(
    `1 muster: ${dataFolder} is not empty. Set MUSTER_DATA to an empty folder, and try again.`,
  )

  await using restored = new TestServer({ dataFolder })
  restored.url = server.url
  restored.admin = server.admin
  await restored.start()
  const after = await signIn(restored.url, restored.admin)
  await vi.waitFor(async () => expect(await waitForMachine(after, 'Acme')).toBe(params.agent_id))
  expect(await after.call(sendCommand, { params, body: echo('again') })).toMatchObject({
    retcode: 0,
    stdout: 'again\n',
  })
  writeFileSync(signal, '')
  await vi.waitFor(async () => expect(await states(after)).toContainEqual([cmd, 'done']))
  restored.expectCleanLog()
})
