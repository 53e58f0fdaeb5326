import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { startAgent, type Agent, type AgentOptions } from '../agent.ts'
import { MeasureError } from '../errors.ts'
import { requireIdentity } from '../identity/identity.ts'
import { enrolMachine } from '../link/enrol-machine.ts'
import { createLog, type Log } from '../log/log.ts'
import { os } from '../os/index.ts'
import { GOOD_TOKEN, TestServer } from './test-server.ts'

export interface LogLine {
  level: string
  message: string
  [field: string]: unknown
}

/** A folder that is removed after the test. */
export function givenFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'muster-agent-test-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }))
  return folder
}

/** A log that a test can read. Unexpected warnings and errors fail the test. */
export function givenLog(expected: RegExp[] = []): { log: Log; lines: LogLine[] } {
  const lines: LogLine[] = []
  // createLog writes one JSON object of this shape per line.
  const log = createLog('debug', (line) => void lines.push(JSON.parse(line) as LogLine))
  onTestFinished(() => {
    const loud = lines.filter(({ level }) => level === 'warn' || level === 'error')
    expect(loud.filter(({ message }) => !expected.some((pattern) => pattern.test(message)))).toEqual([])
  })
  return { log, lines }
}

export async function givenServer(): Promise<{ server: TestServer; url: string; port: number }> {
  const server = new TestServer()
  onTestFinished(() => server[Symbol.asyncDispose]())
  const port = await server.listen()
  return { server, url: `http://127.0.0.1:${port}`, port }
}

export interface GivenAgent {
  server: TestServer
  url: string
  port: number
  folder: string
  agent: Agent
  lines: LogLine[]
  /** Ends the agent and starts another one with the same folder, like a restart. */
  restart: () => Promise<Agent>
  start: (more?: Partial<AgentOptions>) => Promise<Agent>
}

/** An enrolled agent that is connected to its own test server. */
export async function givenAgent(
  options: {
    expectedWarnings?: RegExp[]
    agent?: Partial<AgentOptions>
    folder?: string
    /** Offset of both clocks. */
    aheadMs?: number
  } = {},
): Promise<GivenAgent> {
  const { server, url, port } = await givenServer()
  const { aheadMs = 0 } = options
  server.clockOffsetMs = aheadMs
  const folder = options.folder ?? givenFolder()
  const { log, lines } = givenLog(options.expectedWarnings)
  server.readLog = () => lines.map((line) => JSON.stringify(line)).join('\n')
  await enrolMachine({ folder, serverUrl: url, token: GOOD_TOKEN, caPem: null, os })
  let agent: Agent | undefined
  const start = async (more: Partial<AgentOptions> = {}) => {
    agent = await startAgent({
      folder,
      identity: requireIdentity(folder),
      os,
      log,
      readSlowFacts: async () => ({ make: 'Acme', model: 'T1000' }),
      readSoftware: async () => {
        throw new MeasureError('Nothing is listed here.')
      },
      readPatches: async () => {
        throw new MeasureError('Not available in tests.')
      },
      program: [process.execPath, resolve(import.meta.dirname, '../main.ts')],
      uninstall: async () => {},
      ...(aheadMs === 0 ? {} : { now: () => Date.now() + aheadMs }),
      ...options.agent,
      ...more,
    })
    return agent
  }
  onTestFinished(() => agent?.[Symbol.asyncDispose]())
  const up = server.untilUp()
  await start()
  await up
  if (agent === undefined) throw new Error('the agent did not start')
  return {
    server,
    url,
    port,
    folder,
    agent,
    lines,
    start,
    async restart() {
      await agent?.[Symbol.asyncDispose]()
      const upAgain = server.untilUp()
      const fresh = await start()
      await upAgain
      return fresh
    },
  }
}
