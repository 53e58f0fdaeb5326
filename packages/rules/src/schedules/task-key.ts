import { scriptFitsPlatform } from '../agents/script-can.ts'

/** Policies treat tasks with the same key as the same task, of which a machine has one. The key is the name. */
export function taskKey({ name }: { name: string }): string {
  return name.trim().toLowerCase()
}

/**
 * Whether a machine of this system can run a task of a policy. `scripts`: the systems of each script; undefined if
 * the script was deleted.
 */
export function taskFitsPlatform(
  platforms: readonly string[],
  plat: string,
  scripts: readonly (readonly string[] | undefined)[],
): boolean {
  return (
    platforms.includes(plat) &&
    scripts.every((script) => script === undefined || scriptFitsPlatform(script, plat))
  )
}
