// npm run move-database -- postgres|sqlite: copies the database of a stopped server to the other engine.
import { AppError } from '@muster/contract/errors'
import { moveDatabase } from './features/backups/move-database.ts'
import { runTool } from './features/backups/run-tool.ts'

await runTool('npm run move-database -- postgres|sqlite', async (config, to) => {
  if (to !== 'postgres' && to !== 'sqlite')
    throw new AppError('invalid', `Write "postgres" or "sqlite" instead of "${to}".`)
  const { tables, rows, keptAs } = await moveDatabase(config, to)
  const next =
    keptAs === undefined
      ? 'Start the server without DATABASE_URL. The PostgreSQL database is unchanged.'
      : `Start the server with DATABASE_URL. The old database is kept as ${keptAs}.`
  return `Moved and compared: ${tables} tables with ${rows} rows.\n${next}`
})
