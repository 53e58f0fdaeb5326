import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { spawn as spawnInTerminal } from '@lydell/node-pty'
import { createTestServer, type TestServer } from '@muster/server/testing/test-server.ts'
import type { KeyOptions, UserOptions } from '@muster/server/testing/test-given.ts'
import { onTestFinished, vi } from 'vitest'

const MAIN = join(import.meta.dirname, 'main.ts')
const COMPILE_CACHE = join(import.meta.dirname, '../../../node_modules/.cache/compiled')

export interface CliOutput {
  code: number
  stdout: string
  stderr: string
}

/** A server with a user and a key of theirs, and the program with a configuration folder of its own. */
export async function givenCli({ user, key }: { user?: UserOptions; key?: KeyOptions } = {}) {
  const server = await createTestServer()
  const { url } = await server.listen()
  const ada = await server.given.user({ username: 'ada', superuser: true, ...user })
  const apiKey = await server.given.apiKey(ada, key)
  return cliWith(server, { url, ada, key: apiKey.key })
}

export function givenConfigFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'muster-cli-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Starts the program; `env` replaces the whole environment beside the path. */
export function startCli(args: string[], env: Record<string, string>, input = '') {
  const child = spawn(process.execPath, [MAIN, ...args], { env: programEnv(env) })
  const output = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text))
  // A program that reads nothing may have ended.
  child.stdin.on('error', () => undefined).end(input)
  const ended = new Promise<CliOutput>((resolve) =>
    child.on('close', (code) => resolve({ code: code ?? -1, ...output })),
  )
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return { child, output, ended }
}

/** Starts the program in a terminal. */
export function startInTerminal(args: string[], env: Record<string, string>, columns = 80) {
  const options = { cols: columns, rows: 24, env: programEnv(env) }
  const terminal = spawnInTerminal(process.execPath, [MAIN, ...args], options)
  let screen = ''
  terminal.onData((text) => (screen += text))
  const { promise: ended, resolve } = Promise.withResolvers<number>()
  let isOver = false
  terminal.onExit(({ exitCode }) => {
    isOver = true
    resolve(exitCode)
  })
  onTestFinished(() => {
    if (!isOver) terminal.kill('SIGKILL')
  })
  return {
    type: (text: string) => terminal.write(text),
    screen: () => screen,
    ended,
    waitFor: (part: string) =>
      vi.waitFor(() => {
        if (!screen.includes(part)) throw new Error(`the terminal does not show ${part}:\n${screen}`)
      }),
  }
}

function cliWith(server: TestServer, known: { url: string; ada: Ada; key: string }) {
  const config = givenConfigFolder()
  const env = { MUSTER_SERVER: known.url, MUSTER_API_KEY: known.key, XDG_CONFIG_HOME: config }
  return {
    ...known,
    server,
    config,
    env,
    run: (...args: string[]) => startCli(args, env).ended,
    start: (...args: string[]) => startCli(args, env),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

type Ada = Awaited<ReturnType<TestServer['given']['user']>>

function programEnv(env: Record<string, string>): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: process.env['HOME'] ?? '',
    NODE_COMPILE_CACHE: COMPILE_CACHE,
    ...env,
  }
}
