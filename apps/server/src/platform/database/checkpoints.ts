import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/**
 * Copies what the write-ahead log of a SQLite file holds into the file, four times a second, in a thread of its own. SQLite
 * would do it in the commit that fills the log, and wait for the disk there: pauses of up to 80 ms for everybody.
 */
export function startCheckpoints(path: string): AsyncDisposable {
  const worker = new Worker(new URL('checkpoint-thread.js', import.meta.url), {
    workerData: path,
    // It says nothing; otherwise Node would set up the streams of this process for it.
    stdout: true,
    stderr: true,
    resourceLimits: { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 16 },
  })
  worker.unref()
  // Without it the log is copied in commits, when it has grown long: slower, and as safe.
  worker.on('error', (cause) => process.emitWarning(`Checkpoints have stopped: ${cause.message}`))
  const ended = once(worker, 'exit')
  return {
    async [Symbol.asyncDispose]() {
      worker.ref()
      worker.postMessage('stop')
      await ended
    },
  }
}
