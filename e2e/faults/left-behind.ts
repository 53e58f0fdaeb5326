import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/**
 * What programs have left running: those that were started with this mark in their environment, or that work in this
 * folder. A process that has ended and that nobody asked after is not running.
 */
export function listRunning({ mark, folder }: { mark: string; folder: string }): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        if (/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))) return []
        const isOurs =
          readFileSync(`/proc/${pid}/environ`, 'latin1').includes(mark) ||
          `${readlinkSync(`/proc/${pid}/cwd`)}/`.startsWith(`${folder}/`)
        return isOurs ? [readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()] : []
      } catch {
        // It has ended meanwhile.
        return []
      }
    })
    .toSorted()
}
