const PLATFORMS = { msi: 'windows', exe: 'windows', pkg: 'darwin', deb: 'linux', rpm: 'linux' } as const
type Format = keyof typeof PLATFORMS

/** The format of a package file by the end of its name; undefined if it is no package file. */
export function formatOf(fileName: string): Format | undefined {
  const end = fileName.split('.').at(-1)?.toLowerCase() ?? ''
  return Object.keys(PLATFORMS).includes(end) ? (end as Format) : undefined
}

/** The system that a package file is for. */
export const platformOf = (format: Format) => PLATFORMS[format]
