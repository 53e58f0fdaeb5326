// npm run reset-password -- USER: sets a new password. With SQLite the server must be stopped first.
import { AppError } from '@muster/contract/errors'
import { createContext } from './context.ts'
import { resetPassword } from './features/users/create-first-admin.ts'
import { ConfigError, readConfig } from './platform/config/config.ts'
import { keepFilesPrivate } from './platform/files/private-files.ts'

keepFilesPrivate()
const username = process.argv[2]
if (username === undefined || process.argv.length > 3) {
  process.stderr.write('usage: npm run reset-password -- USER\n')
  process.exit(2)
}
try {
  await using ctx = await createContext({ ...readConfig(process.env), logLevel: 'warn' })
  const password = await resetPassword(ctx, username)
  process.stdout.write(`New password of ${username.toLowerCase()}: ${password}\n`)
} catch (error) {
  const isExpected = error instanceof ConfigError || error instanceof AppError
  process.stderr.write(`muster: ${isExpected ? error.message : String(error)}\n`)
  process.exitCode = 1
}
