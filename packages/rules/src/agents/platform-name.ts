const NAMES: Record<string, string> = { windows: 'Windows', linux: 'Linux', darwin: 'macOS' }

/** Display name of a platform: `darwin` is macOS; an unknown one is unchanged. */
export function platformName(plat: string): string {
  return Object.hasOwn(NAMES, plat) ? (NAMES[plat] ?? plat) : plat
}
