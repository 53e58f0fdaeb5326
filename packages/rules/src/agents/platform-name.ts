const NAMES: Record<string, string> = { windows: 'Windows', linux: 'Linux', darwin: 'macOS' }

/** The name of a platform as people say it: `darwin` is macOS; an unknown one keeps its own word. */
export function platformName(plat: string): string {
  return Object.hasOwn(NAMES, plat) ? (NAMES[plat] ?? plat) : plat
}
