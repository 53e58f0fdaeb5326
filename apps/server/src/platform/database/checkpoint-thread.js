// Run by checkpoints.ts in a thread of its own; JavaScript, since taking types away would cost that thread 10 MB.
import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'

const EVERY_MS = 250

const database = new DatabaseSync(workerData, { timeout: 5000 })
database.exec('pragma cache_size = 0')
// Passive: it waits for nobody, and nobody waits for it.
const checkpoint = database.prepare('pragma wal_checkpoint(passive)')
const timer = setInterval(() => checkpoint.all(), EVERY_MS)
parentPort?.once('message', () => {
  clearInterval(timer)
  database.close()
})
