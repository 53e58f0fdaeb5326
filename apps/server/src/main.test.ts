import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test, vi } from 'vitest'
import { LONG_PATIENCE_MS } from '../../../tools/patience.ts'

// Every test starts servers, which is slow on a busy machine.

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url))
const RESET = fileURLToPath(new URL('reset-password.ts', import.meta.url))
const COMPILE_CACHE = fileURLToPath(new URL('../../../node_modules/.cache/compiled', import.meta.url))

test('prints the address, and on the first start a password that signs in', async () => {
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

test('a lost password is reset only while the server is stopped', async () => {
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
  expect(unknown.stderr()).toBe('muster: The user ada does not exist. Users: grace.\n')
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

test('a data folder that others could read is closed to them, with one line in the log', async () => {
  await using folder = await createFolder()
  await chmod(folder.path, 0o755)
  await using first = startServer({ MUSTER_DATA: folder.path })
  await first.listening()
  const modes = async () => {
    const names = (await readdir(folder.path)).filter((name) => /^(muster|secret)/.test(name))
    return Promise.all(
      ['.', ...names].map(async (name) => ((await stat(join(folder.path, name))).mode & 0o077).toString(8)),
    )
  }
  expect(new Set(await modes())).toEqual(new Set(['0']))
  expect(await first.stop('SIGTERM')).toBe(0)
  const line = /^.*data folder was readable by other users, corrected.*$/gm
  expect(first.stderr().match(line)).toHaveLength(1)

  // As left by a version without this protection.
  await chmod(folder.path, 0o755)
  await chmod(join(folder.path, 'muster.db'), 0o644)
  await using second = startServer({ MUSTER_DATA: folder.path })
  await second.listening()
  expect(new Set(await modes())).toEqual(new Set(['0']))
  expect(second.stderr().match(line)).toHaveLength(1)
  expect(await second.stop('SIGTERM')).toBe(0)
  await using third = startServer({ MUSTER_DATA: folder.path })
  await third.listening()
  expect(third.stderr()).not.toMatch(line)
})

test('a folder that other programs use is refused as data folder in one line', async () => {
  await using folder = await createFolder()
  await writeFile(join(folder.path, 'of-another-program'), '')
  await chmod(folder.path, 0o755)
  await using server = startServer({ MUSTER_DATA: folder.path })
  expect(await server.exited()).toBe(1)
  expect(server.stderr()).toBe(
    `muster: the data folder ${folder.path} is open to other users and holds other files: choose another one, or run chmod 700 ${folder.path}\n`,
  )
  expect((await stat(folder.path)).mode & 0o777).toBe(0o755)
})

test('the agent of the server machine gets neither the settings of the server nor a token to print', async () => {
  await using folder = await createFolder()
  const secret = 'a long enough one'
  await using server = startServer({
    MUSTER_DATA: folder.path,
    MUSTER_ADMIN_PASSWORD: secret,
    MUSTER_METRICS_TOKEN: 'a-token-of-the-metrics',
  })
  const url = await server.listening()
  const headers = await signedIn(url, secret)
  const body = { client: { name: 'Acme' }, site: { name: 'Home' }, initialsetup: true, monitor_server: true }
  const setup = await fetch(`${url}/clients/`, { method: 'POST', headers, body: JSON.stringify(body) })
  expect(setup.status).toBe(200)
  const commandLines = new Set<string>()
  const environments = new Set<string>()
  await vi.waitFor(
    async () => {
      for (const pid of await childrenOf(server.pid ?? 0)) {
        commandLines.add(await read(`/proc/${pid}/cmdline`))
        environments.add(await read(`/proc/${pid}/environ`))
      }
      expect([...commandLines].join()).toMatch(/\0run\0/)
    },
    { timeout: LONG_PATIENCE_MS, interval: 5 },
  )
  expect([...commandLines].join()).toMatch(/\0enrol\0/)
  expect([...commandLines].join()).not.toContain('--token')
  expect([...environments].join()).toContain('PATH=')
  expect([...environments].join()).not.toMatch(/MUSTER_ADMIN_PASSWORD|MUSTER_METRICS_TOKEN|long enough/)
  // Ends its agent too, which would go on writing into the folder.
  expect(await server.stop('SIGTERM')).toBe(0)
})

test('a common password of the first user stops the start, and is ignored later', async () => {
  await using folder = await createFolder()
  const env = { MUSTER_DATA: folder.path, MUSTER_ADMIN_PASSWORD: 'administrator' }
  await using refused = startServer(env)
  expect(await refused.exited()).toBe(2)
  expect(refused.stderr()).toMatch(/^muster: MUSTER_ADMIN_PASSWORD is not valid: .+\n$/)
  await using first = startServer({ ...env, MUSTER_ADMIN_PASSWORD: 'a long enough one' })
  await first.listening()
  expect(await first.stop('SIGTERM')).toBe(0)
  await using later = startServer(env)
  await later.listening()
})

test('an invalid setting stops the start with one line that names it', async () => {
  await using server = startServer({ MUSTER_PORT: 'many' })
  expect(await server.exited()).toBe(2)
  expect(server.stderr()).toMatch(/^muster: MUSTER_PORT is not valid: .+\n$/)
})

test('an unreadable certificate stops the start with one line', async () => {
  await using folder = await createFolder()
  await using server = startServer({
    MUSTER_DATA: folder.path,
    MUSTER_TLS_CERT: join(folder.path, 'missing.pem'),
    MUSTER_TLS_KEY: join(folder.path, 'missing.pem'),
  })
  expect(await server.exited()).toBe(2)
  expect(server.stderr()).toMatch(/^muster: MUSTER_TLS_CERT and MUSTER_TLS_KEY cannot be used: .+\n$/)
})

test('a port in use is reported in one line', async () => {
  await using folder = await createFolder()
  await using first = startServer({ MUSTER_DATA: join(folder.path, 'a') })
  const port = new URL(await first.listening()).port
  await using second = startServer({ MUSTER_DATA: join(folder.path, 'b'), MUSTER_PORT: port })
  expect(await second.exited()).toBe(1)
  expect(second.stderr()).toMatch(/^muster: another program already listens .*MUSTER_PORT\n$/)
})

test('an idle connection does not delay the stop', async () => {
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

async function signedIn(url: string, password: string): Promise<Record<string, string>> {
  const response = await fetch(`${url}/v2/checkcreds/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'admin', password }),
  })
  const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';', 1)[0] ?? '')
  const xsrf = cookies.find((cookie) => cookie.startsWith('XSRF-TOKEN='))?.slice('XSRF-TOKEN='.length)
  // The response of the sign-in.
  const { token } = (await response.json()) as { token: string }
  return {
    authorization: `Token ${token}`,
    cookie: cookies.join('; '),
    'x-xsrf-token': xsrf ?? '',
    'content-type': 'application/json',
  }
}

async function childrenOf(pid: number): Promise<string[]> {
  return (await read(`/proc/${pid}/task/${pid}/children`)).split(' ').filter((text) => text !== '')
}

/** The process may have exited. */
function read(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '')
}

async function createFolder() {
  const path = await mkdtemp(join(tmpdir(), 'muster-main-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

function startServer(env: Record<string, string>, args = [MAIN]) {
  const child: ChildProcess = spawn(process.execPath, args, {
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      MUSTER_PORT: '0',
      MUSTER_LOG_LEVEL: 'warn',
      ...env,
    },
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
