import { scriptFitsPlatform } from '../agents/script-can.ts'

/** Two tasks with the same key are the same task to policies, of which a machine has one: that of the name. */
export function taskKey({ name }: { name: string }): string {
  return name.trim().toLowerCase()
}

/**
 * Whether a machine of this system can have the task of a policy. `scripts`: the systems of each script that it runs;
 * undefined where the script is gone.
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
