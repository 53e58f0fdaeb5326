// npm run restore -- FILE: restores a backup into an empty data folder (and database) before the server starts there.
import { resolve } from 'node:path'
import { readPassphrase } from './features/backups/passphrase.ts'
import { restoreBackup } from './features/backups/restore-backup.ts'
import { describeTotals, runTool } from './features/backups/run-tool.ts'

await runTool('npm run restore -- FILE', async (config, file) => {
  const passphrase = await readPassphrase(config.backupPassphrase, { isNew: false })
  const path = resolve(process.env['INIT_CWD'] ?? '', file)
  const { tls, ...totals } = await restoreBackup(config, { path, passphrase })
  const certificate =
    tls === undefined ? '' : `\nStart it with MUSTER_TLS_CERT=${tls.certFile} MUSTER_TLS_KEY=${tls.keyFile}`
  return `Restored and compared: ${config.dataFolder} (${describeTotals(totals)}).${certificate}`
})
