import { describeError, type Log } from '../../log/log.ts'
import type { KeyValueStore } from '../../state/state.ts'

const STORAGE_KEY = 'upload_parts'
const ABANDONED_AFTER_MS = 3_600_000

export interface OpenPartsOptions {
  keyValues: Pick<KeyValueStore, 'find' | 'save' | 'remove'>
  log: Log
  /** Removes a file that was not written to for this long. Returns whether it is gone. */
  removeAbandoned: (file: { path: string; afterMs: number }) => Promise<boolean>
}

/** Files of incomplete uploads. Abandoned ones are removed, also after a restart. */
export class OpenParts {
  #options: OpenPartsOptions

  constructor(options: OpenPartsOptions) {
    this.#options = options
  }

  /** Called before the file is created, so that none is lost. */
  remember(rawPath: string): void {
    this.#save([...this.#list(), rawPath])
  }

  release(rawPath: string): void {
    this.#save(this.#list().filter((path) => path !== rawPath))
  }

  /** Removes files that were not written to for an hour. */
  sweep(): void {
    for (const path of this.#list()) void this.#remove(path, ABANDONED_AFTER_MS)
  }

  /** Removes a file whose writer has ended. */
  drop(rawPath: string): Promise<void> {
    return this.#remove(rawPath, 0)
  }

  async #remove(path: string, afterMs: number): Promise<void> {
    const { log, removeAbandoned } = this.#options
    try {
      if (await removeAbandoned({ path, afterMs })) this.release(path)
    } catch (cause) {
      log.info({ cause: describeError(cause) }, 'failed to remove an incomplete file, will retry')
    }
  }

  #list(): string[] {
    const text = this.#options.keyValues.find(STORAGE_KEY)
    // Written by this class only.
    return text === undefined ? [] : (JSON.parse(text) as string[])
  }

  #save(paths: readonly string[]): void {
    const { keyValues } = this.#options
    if (paths.length === 0) keyValues.remove(STORAGE_KEY)
    else keyValues.save(STORAGE_KEY, JSON.stringify(paths))
  }
}
