import { randomUUID } from 'node:crypto'
import type { Event } from '@muster/contract/events'
import type { Kysely } from 'kysely'
import { refuseUnfinishedRestore } from './features/backups/unfinished-restore.ts'
import type { Hooks } from './hooks.ts'
import { hooks } from './modules.ts'
import { openBus } from './platform/bus/open-bus.ts'
import type { Bus } from './platform/bus/bus.ts'
import type { Config } from './platform/config/config.ts'
import type { Database } from './platform/database/database.ts'
import { lockDataFolder } from './platform/database/lock.ts'
import { migrate } from './platform/database/migrate.ts'
import { migrations } from './platform/database/migrations/index.ts'
import { openDatabase, type OpenDatabase } from './platform/database/open-database.ts'
import { createTransactor, type Transact } from './platform/database/transaction.ts'
import { type DiskSpace, type ReadFree, watchDiskSpace } from './platform/files/disk-space.ts'
import { makeDataFolderPrivate } from './platform/files/private-files.ts'
import { createJobs, type Jobs } from './platform/jobs/jobs.ts'
import { createLog, type Log } from './platform/log/log.ts'
import { openSecrets, type Secrets } from './platform/secrets/secrets.ts'

/** Everything that features need, built once and in order. `overrides` of createContext is the only test seam. */
export interface Context extends AsyncDisposable {
  config: Config
  log: Log
  /** Identifies this process in rows that it claims. */
  processId: string
  now: () => Date
  db: Kysely<Database>
  engine: OpenDatabase<Database>['engine']
  transaction: Transact<Database, Event>
  bus: Bus
  jobs: Jobs
  secrets: Secrets
  disk: DiskSpace
  /** Publishes to every process. Handlers of this process have run when it returns. */
  emit: (event: Event) => void
  onEvent: (handler: (event: Event) => void) => void
  /** Functions of features, for modules that may not import them. */
  hooks: Hooks
}

export interface Overrides {
  now?: () => Date
  log?: Log
  database?: OpenDatabase<Database>
  bus?: Bus
  secrets?: Secrets
  readFree?: ReadFree
}

const EVENTS_SUBJECT = 'events'

export async function createContext(config: Config, overrides: Overrides = {}): Promise<Context> {
  await using stack = new AsyncDisposableStack()
  const log = overrides.log ?? createLog(config.logLevel)
  const processId = randomUUID()
  const now = overrides.now ?? (() => new Date())
  makeDataFolderPrivate(config.dataFolder, log)
  refuseUnfinishedRestore(config.dataFolder)
  const secrets = overrides.secrets ?? (await openSecrets(config.dataFolder))
  if (config.databaseUrl === undefined && overrides.database === undefined) {
    stack.use(lockDataFolder(config.dataFolder))
  }
  const database =
    overrides.database ?? stack.use(await openDatabase<Database>(config.databaseUrl, config.dataFolder))
  await migrate(database, { migrations, dataFolder: config.dataFolder })
  const bus =
    overrides.bus ??
    stack.use(await openBus(config.natsUrl, log, secrets.deriveToken('messages of servers', 'bus')))
  const jobs = stack.use(createJobs({ database, processId, now, log }))
  const handlers: ((event: Event) => void)[] = []
  const handle = (event: Event) => {
    for (const handler of handlers) handler(event)
  }
  const emit = (event: Event) => {
    handle(event)
    bus.publish(EVENTS_SUBJECT, { from: processId, event })
  }
  await bus.subscribe(EVENTS_SUBJECT, (message) => {
    // Published by `emit` above, in this process or another of the same version.
    const { from, event } = message as { from: string; event: Event }
    if (from !== processId) handle(event)
  })
  const disk = stack.use(
    watchDiskSpace(config.dataFolder, {
      minBytes: config.minFreeBytes,
      log,
      ...(overrides.readFree !== undefined && { readFree: overrides.readFree }),
    }),
  )
  await disk.measure()
  disk.onChange(() => emit({ type: 'settings.changed', ids: ['disk'] }))
  const resources = stack.move()
  return {
    config,
    log,
    processId,
    now,
    db: database.db,
    engine: database.engine,
    transaction: createTransactor<Database, Event>(database, emit),
    bus,
    jobs,
    secrets,
    disk,
    emit,
    onEvent: (handler) => {
      handlers.push(handler)
    },
    hooks,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
