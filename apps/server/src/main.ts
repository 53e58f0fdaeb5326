import { AppError } from '@muster/contract/errors'
import { createFirstAdmin } from './features/users/create-first-admin.ts'
import { type Config, ConfigError, readConfig } from './platform/config/config.ts'
import { keepFilesPrivate } from './platform/files/private-files.ts'
import { type RunningServer, startServer } from './start-server.ts'

const GRACE_MS = 10_000
const EXIT_WRONG_SETTING = 2

keepFilesPrivate()
try {
  await run(readConfig(process.env))
} catch (error) {
  process.stderr.write(`muster: ${describeFailure(error)}\n`)
  process.exit(error instanceof ConfigError ? EXIT_WRONG_SETTING : 1)
}

async function run(config: Config): Promise<void> {
  const server = await startServer(config)
  const { ctx, address } = server
  stopOnSignal(server)
  try {
    const admin = await createFirstAdmin(ctx)
    // First, because programs take the last line as the sign that the server is ready.
    if (admin !== undefined) process.stdout.write(welcome(config, address, admin))
    process.stdout.write(`muster listening on ${address}\n`)
  } catch (error) {
    // Not the context alone: what has started with listening must not work on a closed database.
    await server.stop()
    throw error
  }
}

/**
 * In order: refuse new requests (503), close sockets, finish running requests, then jobs, bus, database and lock.
 * Whatever does not end within the grace period is cut off. A second signal cuts off at once.
 */
function stopOnSignal({ ctx, stop: stopServer }: RunningServer): void {
  let isStopping = false
  const stop = async () => {
    if (isStopping) process.exit(1)
    isStopping = true
    ctx.log.info('stopping')
    const timer = setTimeout(() => {
      ctx.log.error({ grace_ms: GRACE_MS }, 'cut off what did not stop in time')
      process.exit(1)
    }, GRACE_MS)
    try {
      await stopServer()
      clearTimeout(timer)
      ctx.log.info('stopped')
      process.exit(0)
    } catch (error) {
      ctx.log.error({ err: error }, 'did not stop cleanly')
      process.exit(1)
    }
  }
  process.on('SIGTERM', () => void stop())
  process.on('SIGINT', () => void stop())
}

function welcome(
  config: Config,
  address: string,
  { username, generatedPassword }: { username: string; generatedPassword: string | undefined },
): string {
  const anyHost = config.host === '0.0.0.0' || config.host === '::'
  const open = config.publicUrl ?? (anyHost ? address.replace(/\/\/[^/]+(:\d+)$/, '//127.0.0.1$1') : address)
  const password =
    generatedPassword === undefined
      ? '  password  the value of MUSTER_ADMIN_PASSWORD\n'
      : `  password  ${generatedPassword}\n  Shown only once.\n`
  return `\n  Open ${open} and sign in:\n  user      ${username}\n${password}\n`
}

function describeFailure(error: unknown): string {
  if (error instanceof ConfigError || error instanceof AppError) return error.message
  if (!(error instanceof Error)) return String(error)
  if ('code' in error && error.code === 'EADDRINUSE') {
    return `another program already listens on this address (${error.message}); choose another MUSTER_PORT`
  }
  if ('code' in error && error.code === 'EACCES') {
    return `this user may not listen on this address (${error.message}); choose another MUSTER_PORT`
  }
  return error.stack ?? error.message
}
