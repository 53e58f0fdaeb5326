import { readFileSync } from 'node:fs'
import { uptime } from 'node:os'

/** Tolerance for computed boot times, which change when the clock is corrected. */
const SAME_WITHIN_SECONDS = 120

/** Identifies the current boot of the machine. */
export function readBootMark(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    // Only Linux has it.
    return String(Math.round(Date.now() / 1000 - uptime()))
  }
}

export function isSameBoot(one: string, other: string): boolean {
  if (one === other) return true
  if (!/^\d+$/.test(one) || !/^\d+$/.test(other)) return false
  return Math.abs(Number(one) - Number(other)) <= SAME_WITHIN_SECONDS
}
