import { readFileSync, statSync } from 'node:fs'
import { runTool } from '../run-tool.ts'

const LIMIT_MS = 5000

/** User names by number, from /etc/passwd or a directory service, which is asked once per number. */
export class UserNames {
  #changedAtMs = -1
  #local = new Map<number, string>()
  #asked = new Map<number, string>()

  async nameOf(uid: number): Promise<string> {
    this.#refresh()
    const known = this.#local.get(uid) ?? this.#asked.get(uid)
    if (known !== undefined) return known
    const name = await askDirectory(uid)
    this.#asked.set(uid, name)
    return name
  }

  #refresh(): void {
    try {
      const { mtimeMs } = statSync('/etc/passwd')
      if (mtimeMs === this.#changedAtMs) return
      this.#changedAtMs = mtimeMs
      const rows = readFileSync('/etc/passwd', 'utf8').split('\n')
      this.#local = new Map(
        rows.map((row) => row.split(':')).map(([name = '', , uid]) => [Number(uid ?? NaN), name]),
      )
    } catch {
      // A machine without that file stores its users elsewhere.
      this.#local = new Map()
    }
  }
}

async function askDirectory(uid: number): Promise<string> {
  try {
    const signal = AbortSignal.timeout(LIMIT_MS)
    const { stdout } = await runTool('getent', ['passwd', String(uid)], { signal, timeoutMs: LIMIT_MS })
    return stdout.split(':', 1)[0]?.trim() || String(uid)
  } catch {
    // Without getent or a result, the number itself is used.
    return String(uid)
  }
}
