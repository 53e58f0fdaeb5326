const UNITS = ['B', 'KB', 'MB', 'GB', 'TB', 'PB']
const STEP = 1024

/** A number of bytes for display: `1.5 GB`; empty for an invalid number. */
export function formatFileSize(bytes: number): string {
  if (!Number.isFinite(bytes)) return ''
  let size = Math.abs(bytes)
  let unit = 0
  // By the rounded size, so that 1023.999 KB becomes 1 MB and not 1024 KB.
  while (roundSize(size) >= STEP && unit < UNITS.length - 1) {
    size /= STEP
    unit += 1
  }
  return `${roundSize(Math.sign(bytes) * size)} ${UNITS[unit]}`
}

function roundSize(size: number): number {
  // + 0 turns a rounded -0 into 0.
  return Math.round(size * 100) / 100 + 0
}
