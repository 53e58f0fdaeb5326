import { tmpdir } from 'node:os'
import { afterEach, beforeEach } from 'vitest'
import type { Database } from '../database/database.ts'
import { migrate } from '../database/migrate.ts'
import { migrations } from '../database/migrations/index.ts'
import type { OpenDatabase } from '../database/open-database.ts'
import type { TestEngine } from '../database/test-engines.ts'
import { createJobs, type Jobs } from './jobs.ts'

/** Gives each test of a describe block a database, a clock to set, and any number of processes. */
export function useJobs(open: TestEngine['open']) {
  let database: OpenDatabase<Database> | undefined
  let clock = new Date()
  let logged: string[] = []
  let processes: Jobs[] = []
  const write = (_details: object, message?: string) => logged.push(message ?? '')
  const now = () => clock

  beforeEach(async () => {
    database = await open<Database>()
    await migrate(database, { migrations, dataFolder: tmpdir() })
    clock = new Date(2026, 10, 21, 12, 0, 30)
    logged = []
    processes = []
  })
  afterEach(async () => {
    for (const jobs of processes) await jobs[Symbol.asyncDispose]()
    await database?.[Symbol.asyncDispose]()
  })

  function requireDatabase(): OpenDatabase<Database> {
    if (database === undefined) throw new Error('only inside a test')
    return database
  }

  return {
    now,
    setClock: (to: Date) => {
      clock = to
    },
    pass: (seconds: number) => {
      clock = new Date(clock.getTime() + seconds * 1000)
    },
    get database() {
      return requireDatabase()
    },
    /** The lines that a server would log. */
    get logged() {
      return logged
    },
    openJobs: (processId = 'one'): Jobs => {
      const log = { error: write, warn: write }
      const jobs = createJobs({ database: requireDatabase(), processId, now, log })
      processes.push(jobs)
      return jobs
    },
    readRows: () => requireDatabase().db.selectFrom('jobs').selectAll().orderBy('id').execute(),
  }
}

/** A job that records its payloads. */
export function createRecorder(name = 'work') {
  const ran: unknown[] = []
  return { ran, job: { name, run: async (payload: unknown) => void ran.push(payload) } }
}
