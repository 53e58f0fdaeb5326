const BROWSERS = [
  [/\bEdg\/(\d+)/, 'Edge'],
  [/\bOPR\/(\d+)/, 'Opera'],
  [/\bFirefox\/(\d+)/, 'Firefox'],
  [/\b(?:HeadlessChrome|Chrome|Chromium)\/(\d+)/, 'Chrome'],
  [/\bVersion\/(\d+)[\d.]* (?:Mobile\/\S+ )?Safari\//, 'Safari'],
] as const

const SYSTEMS = [
  [/\bWindows\b/, 'Windows'],
  [/\bAndroid\b/, 'Android'],
  [/\b(?:iPhone|iPad)\b/, 'iOS'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
] as const

/** A user agent as text: `Firefox 140 on Windows`. Unknown ones are shown unchanged. */
export function describeBrowser(userAgent: string): string {
  const system = SYSTEMS.find(([pattern]) => pattern.test(userAgent))?.[1]
  for (const [pattern, name] of BROWSERS) {
    const version = pattern.exec(userAgent)?.[1]
    if (version !== undefined)
      return system === undefined ? `${name} ${version}` : `${name} ${version} on ${system}`
  }
  return userAgent.trim() === '' ? 'Unknown program' : userAgent
}
