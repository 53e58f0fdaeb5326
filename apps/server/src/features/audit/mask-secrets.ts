const SECRET_NAME = /passw|secret|token|totp|private|api_?key|cookie/i
const MASK = '••••••'
const LONGEST_TEXT = 10_000
const DEEPEST = 8

/**
 * The value as the audit log may keep it: what lies under a name that says secret is masked, values of
 * environment variables (`NAME=value`) too, and long texts are cut.
 */
export function maskSecrets(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return cut(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth >= DEEPEST) return '…'
  if (Array.isArray(value)) return value.map((item) => maskSecrets(item, depth + 1))
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, maskField(name, item, depth)]))
}

function maskField(name: string, value: unknown, depth: number): unknown {
  if (value === null || typeof value === 'boolean') return value
  if (SECRET_NAME.test(name)) return MASK
  if (name === 'env_vars' && Array.isArray(value)) return value.map(maskVariable)
  return maskSecrets(value, depth + 1)
}

function maskVariable(variable: unknown): string {
  const text = String(variable)
  const end = text.indexOf('=')
  return end < 0 ? MASK : `${text.slice(0, end)}=${MASK}`
}

function cut(text: string): string {
  if (text.length <= LONGEST_TEXT) return text
  return `${text.slice(0, LONGEST_TEXT)}… (${text.length - LONGEST_TEXT} more characters)`
}
