import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { expect, onTestFinished, test } from 'vitest'
import { createTestServer } from '../../testing/test-server.ts'
import { nodeProgram } from './install-files.ts'
import { givenInstaller, givenShell } from './test-shell.ts'

/** An agent that writes down its commands. It carries out only the one that places its launcher. */
const AGENT = `
  import { appendFileSync, copyFileSync } from 'node:fs'
  const [, , command, , folder] = process.argv
  appendFileSync(process.env.MUSTER_CALLS, command + '\\n')
  if (command === 'lay-out') copyFileSync(import.meta.dirname + '/muster-agent.mjs', folder + '/muster-agent.mjs')
`
const NODE = '/agent/node/linux/x86_64'
const PROGRAM = '/agent/program.mjs'

interface Passed {
  path: string
  range: string | undefined
  status: number
}

/** A server and what is between it and a machine: it may cut a response after so many bytes. */
async function givenMachine(cutAfter: (passed: Passed, before: Passed[]) => number | undefined) {
  // The processor is that of the server's Node.
  const shell = await givenShell('Linux', 'x86_64')
  const { folder } = shell
  await mkdir(join(folder, 'agent'))
  await shell.addProgram('node', 'exit 1')
  for (const name of ['agent.mjs', 'muster-agent.mjs']) await writeFile(join(folder, 'agent', name), AGENT)
  const server = await createTestServer({ env: { MUSTER_AGENT_FOLDER: join(folder, 'agent') } })
  const { url } = await server.listen()
  const passed: Passed[] = []
  const between = createServer((incoming, response) => {
    const forward = request(url + incoming.url, { headers: incoming.headers }, (answer) => {
      const one = { path: incoming.url ?? '', range: incoming.headers.range, status: answer.statusCode ?? 0 }
      const most = cutAfter(
        one,
        passed.filter(({ path }) => path === one.path),
      )
      passed.push(one)
      response.writeHead(one.status, answer.headers)
      let bytes = 0
      answer.on('data', (chunk: Buffer) => {
        const rest = most === undefined ? chunk : chunk.subarray(0, most - bytes)
        bytes += rest.length
        if (rest.length > 0) response.write(rest)
        if (bytes !== most) return
        answer.destroy()
        // Written bytes arrive first.
        response.socket?.destroySoon()
      })
      answer.on('end', () => response.end())
    })
    forward.end()
  })
  onTestFinished(() => {
    between.closeAllConnections()
    between.close()
  })
  await once(between.listen(0, '127.0.0.1'), 'listening')
  const address = `http://127.0.0.1:${(between.address() as AddressInfo).port}`
  const data = join(folder, 'data')
  const calls = join(folder, 'calls')
  const install = async () => {
    const { cmd, url: shown } = await givenInstaller(server, { data_folder: data })
    return shell.paste(cmd.replaceAll(shown, address), { MUSTER_CALLS: calls })
  }
  return {
    server,
    url,
    shell,
    install,
    program: join(data, 'program'),
    agentFile: join(folder, 'agent/agent.mjs'),
    calls: async () => (await readFile(calls, 'utf8')).split('\n').filter((line) => line !== ''),
    passed: (path: string) =>
      passed.filter((one) => one.path === path).map(({ range, status }) => [range, status]),
  }
}

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}

test('the install line goes on where a download broke off', async () => {
  const size = (before: Passed[]) => [1_000_000, 70_000, 1][before.length]
  const machine = await givenMachine(({ path }, before) => (path === NODE ? size(before) : undefined))
  await using _server = machine.server
  await machine.install()
  expect(machine.passed(NODE)).toEqual([
    [undefined, 200],
    ['bytes=1000000-', 206],
    ['bytes=1070000-', 206],
    ['bytes=1070001-', 206],
  ])
  expect(await hashOf(join(machine.program, 'node'))).toBe(await hashOf(nodeProgram('x86_64') ?? ''))
  expect(await machine.calls()).toEqual(['lay-out', 'enrol', 'run'])
})

test('a download of another file begins again', async () => {
  let change: (() => Promise<void>) | undefined
  const machine = await givenMachine(({ path }, before) => {
    if (path !== PROGRAM || before.length > 0) return undefined
    void change?.()
    return 40
  })
  await using _server = machine.server
  const changed = `// Another version.\n${AGENT}`
  change = () => writeFile(machine.agentFile, changed)
  await machine.install()
  expect(machine.passed(PROGRAM)).toEqual([
    [undefined, 200],
    ['bytes=40-', 200],
    [undefined, 200],
  ])
  expect(await machine.calls()).toEqual(['lay-out', 'enrol', 'run'])
})

test('a second run of the line goes on as well', async () => {
  let isBroken = true
  const machine = await givenMachine(({ path }, before) => {
    if (path !== NODE || !isBroken) return undefined
    return before.length === 0 ? 2_000_000 : 0
  })
  await using _server = machine.server
  await expect(machine.install()).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('muster: Node could not be downloaded: the connection broke off'),
  })
  isBroken = false
  await machine.install()
  expect(machine.passed(NODE).at(-1)).toEqual(['bytes=2000000-', 206])
  expect(await hashOf(join(machine.program, 'node'))).toBe(await hashOf(nodeProgram('x86_64') ?? ''))
})

test('the install line waits while the server serves too many others, and says so', async () => {
  const machine = await givenMachine(() => undefined)
  await using _server = machine.server
  const others: Response[] = []
  for (let count = 0; count < 10; count += 1) others.push(await fetch(machine.url + NODE))
  const installed = machine.install()
  await expect.poll(() => machine.passed(NODE).length).toBeGreaterThan(1)
  for (const one of others) await one.body?.cancel()
  const { stdout } = await installed
  expect(stdout).toContain('muster: Too many downloads run at this address. Try again in a moment.')
  expect(machine.passed(NODE).at(0)).toEqual([undefined, 429])
  expect(machine.passed(NODE).at(-1)).toEqual([undefined, 200])
})

test('without curl, wget installs the agent, and begins again after a break', async () => {
  const machine = await givenMachine(({ path }, before) =>
    path === NODE && before.length === 0 ? 1_000_000 : undefined,
  )
  await using _server = machine.server
  await machine.shell.hide('curl', 'ping')
  const { stdout } = await machine.install()
  expect(machine.passed(NODE)).toEqual([
    [undefined, 200],
    [undefined, 200],
  ])
  expect(await hashOf(join(machine.program, 'node'))).toBe(await hashOf(nodeProgram('x86_64') ?? ''))
  expect(await machine.calls()).toEqual(['lay-out', 'enrol', 'run'])
  expect(stdout).toContain(
    'muster: ping is missing on this machine, so ping checks will not be measured here',
  )
})
