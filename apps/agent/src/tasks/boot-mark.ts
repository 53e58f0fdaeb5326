import { readFileSync } from 'node:fs'
import { uptime } from 'node:os'

/** Computed times of a start differ by this much when the clock is put right. */
const SAME_WITHIN_SECONDS = 120

/** Names the time since which the machine runs: another one after each start of it. */
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
