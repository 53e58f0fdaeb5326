import type { InstalledPackage } from '@muster/contract/agent/software'

/** The installed software of a system. Loaded in a child process, see `collectors/software-apart.ts`. */
export interface SoftwareTools {
  /** Throws Unmeasurable if the system has no such list. */
  list(signal: AbortSignal): Promise<InstalledPackage[]>
}

/** The day of a time in Unix seconds, in UTC; null if it is invalid. */
export function dayOf(seconds: number): string | null {
  if (!Number.isFinite(seconds) || seconds <= 0 || seconds >= 253_402_300_800) return null
  return new Date(seconds * 1000).toISOString().slice(0, 10)
}

/** A size from a tool that prints it in units of this many bytes; null if it is no number. */
export function sizeOf(text: string, unitBytes = 1): number | null {
  return /^\d{1,12}$/.test(text) ? Number(text) * unitBytes : null
}
