// npm run backup -- FILE: writes an encrypted copy of the database, keys and files, while the server runs.
import { resolve } from 'node:path'
import { makeBackup } from './features/backups/make-backup.ts'
import { readPassphrase } from './features/backups/passphrase.ts'
import { describeTotals, runTool } from './features/backups/run-tool.ts'

await runTool('npm run backup -- FILE', async (config, file) => {
  const passphrase = await readPassphrase(config.backupPassphrase, { isNew: true })
  // npm starts programs in the folder of the project.
  const path = resolve(process.env['INIT_CWD'] ?? '', file)
  const except = config.backups === undefined ? [] : [config.backups.folder]
  const result = await makeBackup(config, { path, passphrase, except })
  return `Backup written and verified: ${path} (${describeTotals(result)}).`
})
