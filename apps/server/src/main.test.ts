import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url))
const RESET = fileURLToPath(new URL('reset-password.ts', import.meta.url))

test('prints the address, and the first time a password that signs in', async () => {
  await using folder = await createFolder()
  await using server = startServer({ MUSTER_DATA: folder.path })
  const url = await server.listening()
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  const password = /password {2}(\S+)/.exec(server.stdout())?.[1] ?? ''
  expect(password).toMatch(/^\w{20}$/)
  expect(await signIn(url, 'admin', password)).toBe(200)
  const health = await fetch(`${url}/health/`)
  expect(await health.json()).toEqual({ status: 'ok' })
  expect(await server.stop('SIGTERM')).toBe(0)

  await using again = startServer({ MUSTER_DATA: folder.path })
  const secondUrl = await again.listening()
  expect(again.stdout()).toBe(`muster listening on ${secondUrl}\n`)
  expect(await signIn(secondUrl, 'admin', password)).toBe(200)
  expect(await again.stop('SIGINT')).toBe(0)
})

test('a lost password is reset on the stopped server, and only there', async () => {
  await using folder = await createFolder()
  const env = {
    MUSTER_DATA: folder.path,
    MUSTER_ADMIN_USER: 'grace',
    MUSTER_ADMIN_PASSWORD: 'a long enough one',
  }
  await using server = startServer(env)
  await server.listening()
  await using tooEarly = startServer(env, [RESET, 'grace'])
  expect(await tooEarly.exited()).toBe(1)
  expect(tooEarly.stderr()).toMatch(/^muster: another Muster server .+ is using .+\n$/)
  expect(await server.stop('SIGTERM')).toBe(0)

  await using unknown = startServer(env, [RESET, 'ada'])
  expect(await unknown.exited()).toBe(1)
  expect(unknown.stderr()).toBe('muster: There is no user ada. There are: grace.\n')
  await using reset = startServer(env, [RESET, 'Grace'])
  expect(await reset.exited()).toBe(0)
  const password = /^New password of grace: (\S+)\n$/.exec(reset.stdout())?.[1] ?? ''
  await using again = startServer(env)
  const url = await again.listening()
  expect(await signIn(url, 'grace', 'a long enough one')).toBe(400)
  expect(await signIn(url, 'grace', password)).toBe(200)
})

test('uses the name and password of the environment on the first start', async () => {
  await using folder = await createFolder()
  await using server = startServer({
    MUSTER_DATA: folder.path,
    MUSTER_ADMIN_USER: 'Grace',
    MUSTER_ADMIN_PASSWORD: 'a long enough one',
  })
  const url = await server.listening()
  expect(server.stdout()).not.toContain('a long enough one')
  expect(await signIn(url, 'grace', 'a long enough one')).toBe(200)
})

test('a second server on the data folder is refused with one clear line', async () => {
  await using folder = await createFolder()
  await using first = startServer({ MUSTER_DATA: folder.path })
  await first.listening()
  await using second = startServer({ MUSTER_DATA: folder.path })
  expect(await second.exited()).toBe(1)
  expect(second.stderr()).toBe(
    `muster: another Muster server (process ${first.pid}) is using ${folder.path}\n`,
  )
})

test('a wrong setting stops the start with one line that names it', async () => {
  await using server = startServer({ MUSTER_PORT: 'many' })
  expect(await server.exited()).toBe(2)
  expect(server.stderr()).toMatch(/^muster: MUSTER_PORT has a wrong value: .+\n$/)
})

test('a certificate that cannot be read stops the start with one line', async () => {
  await using folder = await createFolder()
  await using server = startServer({
    MUSTER_DATA: folder.path,
    MUSTER_TLS_CERT: join(folder.path, 'missing.pem'),
    MUSTER_TLS_KEY: join(folder.path, 'missing.pem'),
  })
  expect(await server.exited()).toBe(2)
  expect(server.stderr()).toMatch(/^muster: MUSTER_TLS_CERT and MUSTER_TLS_KEY cannot be used: .+\n$/)
})

test('a port that is taken is said in one line', async () => {
  await using folder = await createFolder()
  await using first = startServer({ MUSTER_DATA: join(folder.path, 'a') })
  const port = new URL(await first.listening()).port
  await using second = startServer({ MUSTER_DATA: join(folder.path, 'b'), MUSTER_PORT: port })
  expect(await second.exited()).toBe(1)
  expect(second.stderr()).toMatch(/^muster: another program listens .*MUSTER_PORT\n$/)
})

test('an idle connection does not hold up the stop', async () => {
  await using folder = await createFolder()
  await using server = startServer({ MUSTER_DATA: folder.path })
  const { port } = new URL(await server.listening())
  const socket = connect(Number(port), '127.0.0.1')
  await once(socket, 'connect')
  expect(await server.stop('SIGTERM')).toBe(0)
  socket.destroy()
})

async function signIn(url: string, username: string, password: string): Promise<number> {
  const response = await fetch(`${url}/v2/checkcreds/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password }),
  })
  return response.status
}

async function createFolder() {
  const path = await mkdtemp(join(tmpdir(), 'muster-main-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

function startServer(env: Record<string, string>, args = [MAIN]) {
  const child: ChildProcess = spawn(process.execPath, args, {
    env: { PATH: process.env['PATH'], MUSTER_PORT: '0', MUSTER_LOG_LEVEL: 'warn', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  const exit = once(child, 'close').then(([code]) => Number(code))
  const listening = async () => {
    const line = /^muster listening on (\S+)$/m
    while (!line.test(stdout)) {
      const ended = await Promise.race([
        exit.then(() => true),
        once(child.stdout ?? child, 'data').then(() => false),
      ])
      if (ended) throw new Error(`the server ended: ${stderr}`)
    }
    return line.exec(stdout)?.[1] ?? ''
  }
  return {
    pid: child.pid,
    stdout: () => stdout,
    stderr: () => stderr,
    listening,
    exited: () => exit,
    stop: (signal: NodeJS.Signals) => {
      child.kill(signal)
      return exit
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await exit
    },
  }
}
