import type { AgentFacts, Disk } from '@muster/contract/agent/facts'
import type { z } from 'zod'

export type Facts = { [Name in keyof AgentFacts]?: AgentFacts[Name] | undefined }

/** Clock corrections of a few seconds do not mean that the machine rebooted. */
const BOOT_TIME_STEP_SECONDS = 10
/** A disk is reported again when its use changed by this share of its size. */
const DISK_STEP = 0.005

/** Returns the facts of `now` that differ from those reported before. */
export function findChangedFacts(told: Facts, now: Facts): Facts {
  const changed = Object.entries(now).filter(
    ([key, value]) => value !== undefined && !isSame(key, told, value),
  )
  return Object.fromEntries(changed)
}

function isSame(key: string, told: Facts, value: unknown): boolean {
  if (key === 'boot_time' && told.boot_time !== undefined && typeof value === 'number') {
    return Math.abs(told.boot_time - value) < BOOT_TIME_STEP_SECONDS
  }
  // Facts are typed by their collectors; this key holds disks.
  if (key === 'disks' && told.disks !== undefined)
    return areSameDisks(told.disks, value as z.infer<typeof Disk>[])
  const before: unknown = Reflect.get(told, key)
  return JSON.stringify(before) === JSON.stringify(value)
}

function areSameDisks(told: z.infer<typeof Disk>[], now: z.infer<typeof Disk>[]): boolean {
  if (told.length !== now.length) return false
  return now.every((disk, index) => {
    const before = told[index]
    if (before === undefined || before.mount !== disk.mount || before.device !== disk.device) return false
    if (before.total !== disk.total || before.fstype !== disk.fstype) return false
    return Math.abs(before.used - disk.used) < disk.total * DISK_STEP
  })
}
