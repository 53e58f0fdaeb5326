import type { InstalledPackage } from '@muster/contract/agent/software'

/** What a system says is installed. Loaded in a process of its own, see `collectors/software-apart.ts`. */
export interface SoftwareTools {
  /** Throws Unmeasurable where nothing keeps such a list. */
  list(signal: AbortSignal): Promise<InstalledPackage[]>
}

/** The day of a moment in Unix seconds, in UTC; null for what is none. */
export function dayOf(seconds: number): string | null {
  if (!Number.isFinite(seconds) || seconds <= 0 || seconds >= 253_402_300_800) return null
  return new Date(seconds * 1000).toISOString().slice(0, 10)
}

/** A size that a tool printed in units of so many bytes; null for what is no number. */
export function sizeOf(text: string, unitBytes = 1): number | null {
  return /^\d{1,12}$/.test(text) ? Number(text) * unitBytes : null
}
