import { stat } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import { withDiskTimeout } from '../os/disk-calls.ts'
import type { CheckKind } from './table.ts'
import { MeasureError } from '../errors.ts'

export const file: CheckKind<'file'> = {
  limitMs: () => 10_000,
  async measure({ settings: { path } }) {
    if (!isAbsolute(path)) throw new MeasureError(`Use the full path of the file instead of ${path}.`)
    try {
      const { size, mtimeMs } = await withDiskTimeout(path, () => stat(path))
      // Compared with the machine's own clock, which also set the file's time.
      const age_seconds = (Date.now() - mtimeMs) / 1000
      return { check_type: 'file', exists: true, size_bytes: size, age_seconds }
    } catch (cause) {
      const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
      if (code === 'ENOENT' || code === 'ENOTDIR')
        return { check_type: 'file', exists: false, size_bytes: 0, age_seconds: 0 }
      if (code === 'EACCES' || code === 'EPERM')
        throw new MeasureError(`The agent has no permission to read ${path}.`)
      if (code === 'ELOOP') throw new MeasureError(`${path} is a link that leads back to itself.`)
      throw cause
    }
  },
}
