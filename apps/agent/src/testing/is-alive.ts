import { readFileSync } from 'node:fs'

/** Whether a process runs. One that has ended and that nobody asked after (a zombie) does not. */
export function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
